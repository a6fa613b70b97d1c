package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// livePage waits until a run says where it can be looked at.
func livePage(t *testing.T, p *proc) (url string) {
	t.Helper()
	until(t, p, func() bool {
		_, at, told := strings.Cut(p.err.String(), "looked at with a browser: ")
		if told = told && strings.Contains(at, "\n"); told {
			url = strings.Fields(at)[0]
		}
		return told
	})
	return url
}

// look gets a page.
func look(t *testing.T, client *http.Client, url, token string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	all, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(all)
}

// last follows the events of a page to the last, and returns that.
func last(t *testing.T, client *http.Client, url, page string) (text string, events int) {
	t.Helper()
	_, run, _ := strings.Cut(page, `name="untwist-live" content="`)
	run, _, _ = strings.Cut(run, " ")
	a, err := client.Get(url + "events?since=0&run=" + run)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	lines := bufio.NewReader(a.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return text, events
		}
		if data, ok := strings.CutPrefix(line, "data: {"); ok {
			text = data
			events++
		}
	}
}

// A run that somebody looks at finds the same as one at which nobody does, waits until the viewer
// has its report, and says nothing else.
func TestLive(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"minimize", "probe"} {
		s := newSite(t, strconv.Itoa(flags.Usually(700, 250)), "--exec", "BENCH", "--dim", "3", "--bounds", "-3:3")
		s.pause = time.Millisecond
		args := append([]string{command, "--json", "--budget", s.budget}, s.subject...)
		alone := s.start(t, "alone", args...)
		watched := s.start(t, "watched", append(args, "--live", "127.0.0.1:0")...)
		url := livePage(t, watched)
		_, page := look(t, http.DefaultClient, url, "")
		if !strings.Contains(page, "that is still going on") {
			t.Errorf("%s:\n%s", command, page)
		}
		text, events := last(t, http.DefaultClient, url, page)
		if !strings.Contains(text, `"over":true`) || strings.Contains(text, "still going on") || events < 2 {
			t.Errorf("%s: the last of %d events:\n%s", command, events, text)
		}
		if status := watched.wait(t); status != 0 || strings.Count(watched.err.String(), "\n") != 1 {
			t.Errorf("%s: status %d: %s", command, status, watched.err.String())
		}
		if status := alone.wait(t); status != 0 {
			t.Error(status)
		}
		if a, b := unhurried(t, alone), unhurried(t, watched); a != b {
			t.Errorf("%s: alone\n%s\nwatched\n%s", command, a, b)
		}
	}
}

// unhurried is what a run prints, without its time.
func unhurried(t *testing.T, p *proc) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(p.out.String()), &all); err != nil {
		t.Fatalf("%v: %s", err, p.out.String())
	}
	delete(all, "seconds")
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A run with workers elsewhere can be looked at by those who know its token, and encrypted.
func TestLiveWithWorkers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	p.certificate(t, "good", time.Now().AddDate(1, 0, 0))
	p.write(t, "secret", "the-right-one\n")
	run := p.start(t, "run", strings.Fields("minimize sim.toml --json --journal run.journal --listen localhost:0 --live localhost:0 --token-file secret --tls-cert good.pem --tls-key good.key")...)
	url := livePage(t, run)
	if !strings.HasPrefix(url, "https://localhost:") || strings.Contains(run.err.String(), "the-right-one") {
		t.Fatal(run.err.String())
	}
	pem, err := os.ReadFile(filepath.Join(p.dir, "good.pem"))
	if err != nil {
		t.Fatal(err)
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, DisableKeepAlives: true}}
	if status, page := look(t, client, url, ""); status != http.StatusUnauthorized || strings.Contains(page, "Queries") {
		t.Errorf("%d\n%s", status, page)
	}
	if status, page := look(t, client, url, "the-wrong-one"); status != http.StatusUnauthorized || strings.Contains(page, "Queries") {
		t.Errorf("%d\n%s", status, page)
	}
	if status, page := look(t, client, url, "the-right-one"); status != http.StatusOK || !strings.Contains(page, "still going on") {
		t.Errorf("%d\n%s", status, page)
	}
	until(t, run, func() bool { return strings.Contains(run.err.String(), "workers can come") })
	_, at, _ := strings.Cut(run.err.String(), "--server ")
	worker := p.start(t, "worker", strings.Fields("worker sim.toml --token-file secret --tls-ca good.pem --server "+strings.Fields(at)[0])...)
	if status := run.wait(t); status != 0 {
		t.Errorf("%d: %s", status, run.err.String())
	}
	worker.wait(t)
}

// An address that cannot be used ends the program before the first query, in one line.
func TestLiveElsewhere(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := newPlace(t, "300")
	p.write(t, "secret", "the-right-one\n")
	for flags, want := range map[string]struct {
		status int
		text   string
	}{
		"--live " + taken.Addr().String():              {1, "--live: " + taken.Addr().String() + " is in use by another program"},
		"--live 0.0.0.0:0":                             {2, "--live: 0.0.0.0:0 can be reached by others, so it needs a secret: give --token-file FILE"},
		"--live 0.0.0.0:0 --token-file secret":         {2, "or say --insecure if the network is yours"},
		"--live 8080":                                  {2, `--live: "8080" is not an address HOST:PORT`},
		"--live :8080":                                 {2, `--live: ":8080" says no host: write 127.0.0.1:8080 for this machine, or 0.0.0.0:8080 for all`},
		"--live 127.0.0.1:80000":                       {2, "the port must be a number up to 65535"},
		"--live 127.0.0.1:0 --verify 0.1":              {2, "--verify: goes with --listen or --server"},
		"--token-file secret":                          {2, "--token-file: goes with --listen, --server or --live"},
		"--live 127.0.0.1:0 --token-file sim.toml":     {2, "a token is one word"},
		"--live 127.0.0.1:0 --tls-cert x.pem":          {2, "--tls-cert and --tls-key go together"},
		"--live 127.0.0.1:0 --tls-ca x.pem --insecure": {2, "--tls-ca: goes with --listen or --server"},
	} {
		run := p.start(t, flags, strings.Fields("minimize sim.toml --journal run.journal "+flags)...)
		status := run.wait(t)
		if said := run.err.String(); status != want.status || !strings.Contains(said, want.text) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: status %d, %q", flags, status, said)
		}
	}
	if _, err := os.Stat(p.log); err == nil {
		t.Error("something was evaluated")
	}
}
