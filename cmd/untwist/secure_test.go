package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

// certificate makes a certificate for localhost, signed by itself: NAME.pem and NAME.key.
func (p *place) certificate(t *testing.T, name string, until time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: until.AddDate(-1, 0, 0), NotAfter: until,
		DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, name+".pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	p.write(t, name+".key", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})))
}

// says runs a worker, workers, and a run on a server, which all have to end with status 1 and
// say why in one line. Where tests are quick, it is the worker alone.
func (p *place) says(t *testing.T, server, more, want string) {
	t.Helper()
	var all []*proc
	for _, command := range flags.Sample([]string{"worker sim.toml", "workers", "minimize sim.toml --journal other.journal"}, 1) {
		all = append(all, p.start(t, command, strings.Fields(command+" --server "+server+" "+more)...))
	}
	for _, tried := range all {
		status := tried.wait(t)
		if said := tried.err.String(); status != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, server+": "+want) || tried.out.String() != "" {
			t.Errorf("%s: status %d, %q, want %q", tried.Args, status, said, want)
		}
	}
}

// Wrong tokens and certificates, and TLS on one side only: one line each.
func TestSecurityIsSaidInOneLine(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "300")
	p.certificate(t, "good", time.Now().AddDate(1, 0, 0))
	p.certificate(t, "other", time.Now().AddDate(1, 0, 0))
	p.certificate(t, "expired", time.Now().AddDate(0, 0, -1))
	p.write(t, "secret", "the-right-one\n")
	p.write(t, "wrong", "the-wrong-one\n")
	serve := func(flags string) (port int) {
		p.port = freePort(t)
		run := p.sh(t, "coordinator", fmt.Sprintf("exec untwist minimize sim.toml --journal %d.journal --listen localhost:%[1]d --token-file secret %s", p.port, flags))
		until(t, run, p.listening(true))
		return p.port
	}
	port := serve("--tls-cert good.pem --tls-key good.key")
	encrypted, plain := fmt.Sprint("tls://localhost:", port), fmt.Sprint("nats://localhost:", port)
	p.says(t, encrypted, "--tls-ca good.pem --token-file wrong", "the server does not accept the token: --token-file must name a copy of the coordinator's")
	p.says(t, encrypted, "--tls-ca good.pem", "the server wants a token: give --token-file FILE")
	p.says(t, encrypted, "--tls-ca good.pem --token-file secret --user me", "the server does not accept the user me with the password of --token-file")
	p.says(t, encrypted, "--tls-ca other.pem --token-file secret", "the server's certificate is not accepted: nobody knows who has signed it; --tls-ca FILE names whom to trust")
	p.says(t, encrypted, "--token-file secret", "the server's certificate is not accepted: nobody knows")
	p.says(t, fmt.Sprint("tls://127.0.0.1:", port), "--tls-ca good.pem --token-file secret", "the server's certificate is not for the name 127.0.0.1: write the name that it is for")
	p.says(t, plain, "--token-file secret", "the server wants TLS: write tls:// instead of nats://")
	p.says(t, fmt.Sprint("tls://localhost:", serve("")), "--tls-ca good.pem --token-file secret", "the server does not speak TLS: write nats:// instead of tls://")
	p.port = freePort(t)
	p.write(t, "nats.conf", fmt.Sprintf("listen: 127.0.0.1:%d\ntls { cert_file: expired.pem, key_file: expired.key }\njetstream {}", p.port))
	until(t, p.sh(t, "nats-server", "exec nats-server -c nats.conf"), p.listening(true))
	p.says(t, fmt.Sprint("tls://localhost:", p.port), "--tls-ca expired.pem", "the server's certificate is not accepted: x509: certificate has expired")
}

// The command that a run names starts a worker that works, as it is.
func TestWorkerAsInvited(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "60")
	p.certificate(t, "good", time.Now().AddDate(1, 0, 0))
	p.write(t, "secret", "the-right-one\n")
	p.port = freePort(t)
	run := p.sh(t, "coordinator", fmt.Sprintf("exec untwist minimize sim.toml --journal run.journal --listen localhost:%d --token-file secret --tls-cert good.pem --tls-key good.key", p.port))
	const before = "start one with: "
	until(t, run, func() bool { return strings.Contains(run.err.String(), before) })
	_, command, _ := strings.Cut(run.err.String(), before)
	command, _, _ = strings.Cut(command, "\n")
	worker := p.sh(t, "worker", "exec "+command)
	if status := worker.wait(t); status != 0 || run.wait(t) != 0 {
		t.Errorf("%s: status %d: %s%s", command, status, worker.err.String(), run.err.String())
	}
	if said := worker.err.String(); !strings.Contains(said, "untwist: works for run ") || !strings.Contains(said, " with ") {
		t.Errorf("the worker says %q", said)
	}
}
