package browser

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// untwist is the program, and simulator a program for it to minimise: this one, slowly.
var untwist, simulator string

func TestMain(m *testing.M) {
	if pause, err := time.ParseDuration(os.Getenv("UNTWIST_SIMULATE")); err == nil {
		simulate(pause)
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "untwist-browser-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	untwist = filepath.Join(dir, "untwist")
	build := exec.Command("go", "build", "-o", untwist, "./cmd/untwist")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	if simulator, err = os.Executable(); err != nil {
		panic(err)
	}
	return m.Run()
}

// simulate reads points and prints values: Rastrigin's function in coordinates that nobody
// knows.
func simulate(pause time.Duration) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		time.Sleep(pause)
		words := strings.Fields(lines.Text())
		x := make([]float64, len(words))
		for i, w := range words {
			x[i], _ = strconv.ParseFloat(w, 64)
		}
		sum := 0.0
		for i := range x {
			y := x[i] + x[(i+1)%len(x)]/2 - 1
			sum += y*y + 10 - 10*math.Cos(2*math.Pi*y)
		}
		fmt.Println(sum)
	}
}

// A browser is a headless one. It reaches this machine, and whatever it asks of others is
// refused and noted.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu        sync.Mutex
	elsewhere []string // what it has asked of others, by the proxy's word and its own
	errors    []string // what it has complained of
}

// open starts a browser.
func open(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.note(&b.elsewhere, "%s %s", r.Method, r.RequestURI)
		http.Error(w, "no", http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // in a container there is none
		chromedp.ProxyServer(proxy.URL), chromedp.UserDataDir(t.TempDir()),
		// What Chromium asks for by itself is not the page's: it is off, or leads nowhere.
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-features", "Translate,OptimizationHints,NetworkTimeServiceQuerying,AutofillServerCommunication"),
		chromedp.Flag("gaia-url", "http://127.0.0.1:1"), chromedp.Flag("component-updater", "url-source=http://127.0.0.1:1/"),
	)
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	b.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	console, requests := chromedp.Console(b.ctx), chromedp.Events(b.ctx, network.RequestWillBeSent)
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(all.Wait)
	t.Cleanup(cancel)
	all.Go(func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.note(&b.errors, "%s: %s %s", m.Type, m.Text, m.URL)
		}
	})
	all.Go(func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			if u, err := url.Parse(e.Request.URL); err != nil || !here(u) {
				b.note(&b.elsewhere, "%s %s", e.Request.Method, e.Request.URL)
			}
		}
	})
	return b
}

// here says that an address leads to nobody else.
func here(u *url.URL) bool {
	switch u.Scheme {
	case "file", "data", "about", "blob":
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

func (b *browser) note(to *[]string, format string, values ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*to = append(*to, fmt.Sprintf(format, values...))
}

// do does something in the browser.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// get does something that has a result.
func get[T any](b *browser, what chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, what)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// js returns the value of an expression.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	return get(b, chromedp.Evaluate[T](expression))
}

// until waits until an expression is true. A page that is just loaded anew has no values: then it is asked again.
func (b *browser) until(expression string) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		so, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
		if so && err == nil {
			return
		}
		if err != nil && !strings.Contains(err.Error(), "navigated") && !strings.Contains(err.Error(), "context") {
			b.t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-b.ctx.Done():
			b.t.Fatalf("never: %s", expression)
		}
	}
}

// soon waits until something is so, of what was noted.
func (b *browser) soon(what string, so func() bool) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		b.mu.Lock()
		done := so()
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-tick.C:
		case <-b.ctx.Done():
			b.t.Fatalf("never: %s\n%q\n%q", what, b.errors, b.elsewhere)
		}
	}
}

// clean fails if the browser has complained, or asked another machine for anything.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.errors {
		b.t.Errorf("the browser complains: %s", e)
	}
	for _, e := range b.elsewhere {
		b.t.Errorf("the page asks others: %s", e)
	}
}

// A test that finds nothing could be blind. This browser complains and asks others.
func TestNotBlind(t *testing.T) {
	b := open(t)
	file := filepath.Join(t.TempDir(), "bad.html")
	bad := `<p>bad</p><img src="http://untwist.example/x.png"><script>console.error("it is bad"); undefined.x</script>`
	if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://" + file))
	b.soon("there are complaints, and others are asked", func() bool {
		errors, elsewhere := strings.Join(b.errors, "\n"), strings.Join(b.elsewhere, "\n")
		return strings.Contains(errors, "it is bad") && strings.Contains(errors, "TypeError") &&
			strings.Count(elsewhere, "GET http://untwist.example/x.png") == 2 // by the browser's word and the proxy's
	})
}
