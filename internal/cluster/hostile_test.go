package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// enemy connects as a worker would, and speaks NATS directly.
func enemy(t *testing.T, s *stand) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.server.URL(), link{}.options(nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// A worker's credentials do not allow it to put work on the queue, to read other runs, or to
// touch the stream, not even by making others answer where it could not speak itself.
func TestHostileWorkers(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Evaluate(ctx, mat.NewDense(1, 1, []float64{5}), make([]float64, 1)) }()
	defer func() { cancel(); <-done }()
	info := func() *jetstream.StreamInfo { // as the coordinator sees it
		t.Helper()
		stream, err := s.queue.js.Stream(context.Background(), streamOf(s.run))
		if err != nil {
			t.Fatalf("the stream is gone: %v", err)
		}
		i, err := stream.Info(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	for info().State.Msgs == 0 { // the chunk is on its way
	}
	nc := enemy(t, s)
	chunk := (&wire.Chunk{Run: s.run, First: 1, Dim: 1, Points: []float64{9}}).Encode()
	stream := streamOf(s.run)
	for _, subject := range []string{
		subject(s.run, work), subject(s.run, end), "$JS.API.STREAM.PURGE." + stream, "$JS.API.STREAM.DELETE." + stream,
		"$JS.API.CONSUMER.DELETE." + stream + "." + workers, "$JS.API.STREAM.CREATE.mine", "$JS.API.STREAM.MSG.GET." + stream, "$SYS.REQ.SERVER.PING",
	} {
		for _, data := range [][]byte{nil, chunk, []byte(`{"seq":1}`)} {
			if m, err := nc.Request(subject, data, 50*time.Millisecond); err == nil {
				t.Errorf("%s was answered: %s", subject, m.Data)
			}
		}
	}
	for _, forbidden := range []string{
		subject(s.run, work), "$JS.API.STREAM.PURGE." + stream, "$JS.API.STREAM.DELETE." + stream, fencedAPI + ".STREAM.DELETE." + stream,
	} {
		for _, asks := range []string{subject(s.run, hello), subjectOfAll(status), subject(s.run, values), fencedAPI + ".CONSUMER.INFO." + stream + "." + workers} {
			_ = nc.PublishRequest(asks, forbidden, nil)
		}
		// What the queue says to those who wait in vain has no content, as a purge may have.
		for _, api := range []string{fencedAPI, queueAPI} {
			_ = nc.PublishRequest(api+".CONSUMER.MSG.NEXT."+stream+"."+workers, forbidden, []byte(`{"batch":1,"no_wait":true}`))
			_ = nc.PublishRequest(api+".CONSUMER.MSG.NEXT."+stream+"."+workers, forbidden, []byte(`{"batch":5,"no_wait":true}`))
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, spied := range []string{">", "untwist.>", "_INBOX.>", subject(s.run, work), subject(s.run, values)} {
		sub, err := nc.SubscribeSync(spied)
		if err != nil {
			continue
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.nc.Request(subject(s.run, values), nil, time.Second); err != nil { // somebody else speaks
			t.Fatal(err)
		}
		if m, err := sub.NextMsg(20 * time.Millisecond); err == nil {
			t.Errorf("%s can be read: %s", spied, m.Subject)
		}
		_ = sub.Unsubscribe()
	}
	if got := info(); got.State.Msgs != 1 || got.State.LastSeq != 1 {
		t.Errorf("the stream has %d messages and had %d: the enemy has changed it", got.State.Msgs, got.State.LastSeq)
	}
}

// A worker cannot send others home by having somebody answer where the end of the run is said.
func TestNobodyElseEndsTheRun(t *testing.T) {
	s := newStand(t, 1, nil)
	s.worker("good", objective.Func(1, ripple), nil)
	batch := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), wholeMinute)
		defer cancel()
		return s.Evaluate(ctx, mat.NewDense(1, 1, []float64{5}), make([]float64, 1))
	}
	if err := batch(); err != nil {
		t.Fatal(err)
	}
	nc := enemy(t, s)
	heard, err := nc.SubscribeSync(subject(s.run, end))
	if err != nil {
		t.Fatal(err)
	}
	next := fencedAPI + ".CONSUMER.MSG.NEXT." + streamOf(s.run) + "." + workers
	for asks, data := range map[string]string{
		subjectOfAll(status): "", subjectOfAll(hello): "", subject(s.run, hello): "", subject(s.run, values): "", next: `{"batch":1,"no_wait":true}`,
	} {
		if err := nc.PublishRequest(asks, subject(s.run, end), []byte(data)); err != nil {
			t.Fatal(err)
		}
		if _, err := heard.NextMsg(answerWithin); err != nil { // the others hear it too
			t.Errorf("%s: %v", asks, err)
		}
	}
	if err := batch(); err != nil {
		t.Errorf("the worker has gone: %v", err)
	}
}

// Whatever a worker sends, the coordinator goes on, and answers that it cannot be used.
func TestNonsenseIsAnswered(t *testing.T) {
	s := newStand(t, 1, nil)
	nc := enemy(t, s)
	for _, what := range []string{hello, values} {
		for _, data := range []string{"", "{}", "null", strings.Repeat("x", 1<<19), `{"Worker":"a b"}`} {
			m, err := nc.Request(subject(s.run, what), []byte(data), answerWithin)
			if err != nil || !strings.Contains(string(m.Data), "Refused") {
				t.Errorf("%.20q to %s: %v", data, what, err)
			}
		}
	}
	s.worker("good", objective.Func(1, ripple), nil)
	values := make([]float64, 3)
	if err := s.Evaluate(context.Background(), mat.NewDense(3, 1, []float64{-1, -2, -3}), values); err != nil || values[1] != ripple([]float64{-2}) {
		t.Errorf("%v, %v", values, err)
	}
}

// A worker that evaluates something else is refused, with what differs.
func TestOtherFunctionsAreRefused(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	err := Work(context.Background(), WorkerConfig{
		Server: s.server.URL(), About: []byte(`{"Objective":"another"}`), Dim: 1,
		Open: func(int) (objective.Objective, error) { return objective.Func(1, ripple), nil },
	})
	if err == nil || !strings.Contains(err.Error(), `Objective is "a test" at the coordinator and "another" here`) {
		t.Errorf("%v", err)
	}
}

// pair makes a certificate for 127.0.0.1, signed by itself, and those who trust it.
func pair(t *testing.T, until time.Time) (*tls.Config, *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: pool}
}

// With a token and a certificate a worker works; with a wrong or expired one it says so in
// one line, and does not try again.
func TestTokensAndCertificates(t *testing.T) {
	next := time.Now().AddDate(1, 0, 0)
	serves, trusts := pair(t, next)
	_, others := pair(t, next)
	expired, trustsExpired := pair(t, time.Now().AddDate(0, 0, -1))
	for _, c := range []struct {
		name   string
		server *tls.Config
		token  string
		client *tls.Config
		says   string // "": it works
	}{
		{"right", serves, "the right token", trusts, ""},
		{"a wrong token", serves, "another token", trusts, "does not accept the token"},
		{"no token", serves, "", trusts, "the server wants a token"},
		{"a stranger's certificate", serves, "the right token", others, "certificate is not accepted"},
		{"an expired certificate", expired, "the right token", trustsExpired, "expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := RunID{9}
			server, err := Listen(run, "127.0.0.1:0", Access{Token: "the right token", TLS: c.server})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			o, err := server.Coordinate(Config{Run: run, Dim: 1, About: about})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				done <- Work(ctx, WorkerConfig{
					Server: server.URL(), Access: Access{Token: c.token, TLS: c.client}, About: about, Dim: 1,
					Open: func(int) (objective.Objective, error) { return objective.Func(1, ripple), nil },
				})
			}()
			if c.says == "" {
				if err := o.Evaluate(ctx, mat.NewDense(1, 1, []float64{1}), make([]float64, 1)); err != nil {
					t.Error(err)
				}
			}
			if c.says != "" {
				if err := <-done; err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%v; want %q", err, c.says)
				}
				o.Close()
				return
			}
			o.Done()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// Other addresses than loopback need a token, and TLS or a word that it is not needed.
func TestAddressesNeedSecrets(t *testing.T) {
	secret, encrypted := Access{Token: "a token"}, &tls.Config{}
	for _, c := range []struct {
		listen, server string
		access         Access
		allowed        bool
	}{
		{"127.0.0.1:0", "nats://127.0.0.1:4222", Access{}, true},
		{"[::1]:0", "nats://[::1]:4222", Access{}, true},
		{"localhost:0", "nats://localhost:4222", Access{}, true},
		{"0.0.0.0:0", "nats://10.1.2.3:4222", Access{}, false},
		{":0", "nats://host:4222", Access{}, false},
		{"0.0.0.0:0", "nats://10.1.2.3:4222", secret, false},
		{"0.0.0.0:0", "nats://10.1.2.3:4222", Access{Token: "a token", Insecure: true}, true},
		{"0.0.0.0:0", "tls://10.1.2.3:4222", Access{Token: "a token", TLS: encrypted}, true},
		{"0.0.0.0:0", "tls://10.1.2.3:4222", Access{TLS: encrypted}, false},
		{"nonsense", "http://127.0.0.1", Access{}, false},
		{"127.0.0.1:99999", "nats://secret@127.0.0.1", Access{}, false},
	} {
		for what, err := range map[string]error{c.listen: c.access.CheckListen(c.listen), c.server: c.access.CheckServer(c.server)} {
			if (err == nil) != c.allowed {
				t.Errorf("%s with %+v: %v", what, c.access, err)
			}
		}
	}
}
