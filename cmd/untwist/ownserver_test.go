package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster"
)

// passwords of the users in nats.conf.
var passwords = map[string]string{"coordinator": "of-the-coordinator", "worker": "of-the-worker", "another": "of-another"}

// ownServer starts a NATS server with the configuration of the document. There are two of
// each account: UNTWIST and WORKERS as they are written, and a copy for another group.
func (p *place) ownServer(t *testing.T) *proc {
	t.Helper()
	p.certified(t)
	text := p.block(t, "A server of your own", map[string]string{"port: 4222": fmt.Sprintf("listen: 127.0.0.1:%d", p.port)})
	for _, user := range []string{"coordinator", "worker"} {
		text = swap(t, text, map[string]string{fmt.Sprintf(`user: %s, password: "…"`, user): fmt.Sprintf("user: %s, password: %s", user, passwords[user])})
		p.write(t, user+".secret", passwords[user]+"\n")
	}
	begin, accounts, _ := strings.Cut(text, "accounts {\n")
	accounts = strings.TrimSuffix(accounts, "}\n")
	group := strings.NewReplacer("UNTWIST", "UNTWIST2", "WORKERS", "WORKERS2", "user: coordinator", "user: coordinator2",
		"user: worker", "user: another", passwords["worker"], passwords["another"], "_INBOX.worker", "_INBOX.another").Replace(accounts)
	p.write(t, "nats.conf", begin+"accounts {\n"+accounts+group+"}\n")
	server := p.sh(t, "nats-server", "exec "+p.line(t, "nats-server", nil))
	until(t, server, p.listening(true))
	return server
}

// as connects as a user, and speaks NATS directly.
func (p *place) as(t *testing.T, user string) *nats.Conn {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(p.read(t, "c.pem"))
	nc, err := nats.Connect(fmt.Sprintf("tls://localhost:%d", p.port), nats.UserInfo(user, passwords[user]), nats.Secure(&tls.Config{RootCAs: pool}),
		nats.CustomInboxPrefix("_INBOX."+user+".enemy"), nats.PermissionErrOnSubscribe(true), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// runsSeen returns the runs that a user sees.
func runsSeen(t *testing.T, nc *nats.Conn) (all []cluster.Status) {
	t.Helper()
	m, err := nc.Request("untwist.status", nil, 5*time.Second)
	if err != nil {
		return nil
	}
	var s cluster.Status
	if err := json.Unmarshal(m.Data, &s); err != nil {
		t.Fatal(err)
	}
	return []cluster.Status{s}
}

// On a server of one's own with the configuration of the document, a worker's user cannot put
// work on the queue, touch the stream, send others home, or read what they or other groups are
// sent. The run, as it is written there, finds what one process finds.
func TestOwnServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	want := p.expected(t)
	p.ownServer(t)
	here := map[string]string{"host:4222": fmt.Sprint("localhost:", p.port)}
	run := p.sh(t, "coordinator", "exec "+strings.TrimSpace(p.line(t, "untwist minimize sim.toml --journal run.journal --server tls://", here))+" --json --quiet")
	enemy, friend, stranger := p.as(t, "worker"), p.as(t, "coordinator"), p.as(t, "another")
	var runs []cluster.Status
	until(t, run, func() bool { runs = runsSeen(t, enemy); return len(runs) > 0 && runs[0].Out > 0 })
	if len(runs) == 0 {
		t.Fatalf("there is no run: %s", run.err.String())
	}
	id := runs[0].Run
	js, err := jetstream.New(friend)
	if err != nil {
		t.Fatal(err)
	}
	state := func() string { // of the queue, as the coordinator sees it
		t.Helper()
		stream, err := js.Stream(context.Background(), "UNTWIST-"+id)
		if err != nil {
			t.Fatalf("the stream is gone: %v", err)
		}
		i := stream.CachedInfo().State
		return fmt.Sprint(i.Msgs, " from ", i.FirstSeq, " to ", i.LastSeq)
	}
	consumer, err := js.Consumer(context.Background(), "UNTWIST-"+id, "workers")
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := consumer.Next() // or the enemy would take it, and it would be missing for 15 seconds
	if err != nil {
		t.Fatal(err)
	}
	before := state()
	forbidden(t, enemy, id)
	reads(t, enemy, friend, id)
	if after := state(); after != before {
		t.Errorf("the queue was %s and is %s: the enemy has changed it", before, after)
	}
	if err := chunk.Nak(); err != nil {
		t.Fatal(err)
	}
	if seen := runsSeen(t, stranger); len(seen) > 0 {
		t.Errorf("another group sees %v", seen)
	}
	worker := p.sh(t, "worker", "exec "+strings.TrimSpace(p.line(t, "untwist worker sim.toml --server tls://host:4222 --tls-ca c.pem --user", here)))
	p.same(t, run, want)
	if status := worker.wait(t); status != 0 {
		t.Errorf("the worker ended with status %d: %s", status, worker.err.String())
	}
}

// forbidden tries to say what a worker may not, by itself or by having others answer where it
// may not speak.
func forbidden(t *testing.T, enemy *nats.Conn, id string) {
	t.Helper()
	stream := "UNTWIST-" + id
	var denied []string
	for _, api := range []string{"$JS.API.", "QUEUE."} {
		for _, what := range []string{
			"STREAM.PURGE." + stream, "STREAM.DELETE." + stream, "STREAM.INFO." + stream, "STREAM.NAMES", "STREAM.MSG.GET." + stream, "DIRECT.GET." + stream,
			"CONSUMER.DELETE." + stream + ".workers", "CONSUMER.CREATE." + stream, "STREAM.CREATE.mine",
		} {
			denied = append(denied, api+what)
		}
	}
	for _, to := range append(denied, "untwist."+id+".work", "untwist."+id+".end", "$SYS.REQ.SERVER.PING") {
		for _, data := range []string{"", `{"seq":1}`, "the run is over"} {
			if m, err := enemy.Request(to, []byte(data), 20*time.Millisecond); err == nil {
				t.Errorf("%s was answered: %s", to, m.Data)
			}
		}
		for _, asks := range []string{"untwist.status", "untwist.hello", "untwist." + id + ".hello", "untwist." + id + ".values", "QUEUE.CONSUMER.INFO." + stream + ".workers"} {
			_ = enemy.PublishRequest(asks, to, nil)
		}
		// What the queue says to those who wait in vain has no content, as a purge may have.
		_ = enemy.PublishRequest("QUEUE.CONSUMER.MSG.NEXT."+stream+".workers", to, []byte(`{"batch":100,"no_wait":true}`))
	}
	if err := enemy.Flush(); err != nil {
		t.Fatal(err)
	}
}

// reads tries to read what others are sent, while somebody is.
func reads(t *testing.T, enemy, friend *nats.Conn, id string) {
	t.Helper()
	for _, spied := range []string{">", "*.>", "_INBOX.>", "_INBOX.*.>", "_INBOX.another.>", "_INBOX.coordinator.>", "untwist.>", "untwist." + id + ".work", "untwist." + id + ".values", "untwist.hello", "$JS.>", "_R_.>"} {
		sub, err := enemy.SubscribeSync(spied)
		if err != nil {
			t.Fatal(err)
		}
		if err := enemy.Flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := friend.Request("untwist.status", nil, 5*time.Second); err != nil {
			t.Fatal(err)
		}
		if m, err := sub.NextMsg(20 * time.Millisecond); err == nil {
			t.Errorf("%s can be read: %s", spied, m.Subject)
		} else if err == nats.ErrTimeout {
			t.Errorf("%s is not refused", spied)
		}
	}
}
