package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/cluster"
)

// accessFlags are the flags that say how a server is reached.
type accessFlags struct {
	server, token, user, cert, key, trust string
	insecure                              bool
}

func (f *accessFlags) register(flags *pflag.FlagSet, server string) {
	flags.Var(text(&f.server), "server", server)
	flags.Var(text(&f.token), "token-file", "the secret that the run shares with its workers, and with those who look at --live, is the line in `FILE`; needed unless the address is this machine's own (127.0.0.1)")
	flags.Var(text(&f.user), "user", "the `NAME` of the user whose password is in --token-file, on a NATS server of your own that has users")
	flags.Var(text(&f.trust), "tls-ca", "trust servers whose certificate is signed by one in `FILE` (default: those that the system trusts)")
	flags.Var(text(&f.cert), "tls-cert", "the certificate of the server (--listen, --live), or one to show to it, in `FILE`")
	flags.Var(text(&f.key), "tls-key", "the key of the certificate, in `FILE`")
	toggle(flags, &f.insecure, "insecure", "send the token and everything else without encryption")
}

// access reads the files that the flags name. listening says that we are the server.
func (f *accessFlags) access(listening bool) (a cluster.Access, err error) {
	a.Insecure, a.User = f.insecure, f.user
	if f.token != "" {
		if a.Token, err = cluster.ReadToken(f.token); err != nil {
			return a, usageError{fmt.Errorf("--token-file: %w", err)}
		}
	}
	if (f.cert == "") != (f.key == "") {
		return a, usageError{errors.New("--tls-cert and --tls-key go together")}
	}
	encrypted := strings.HasPrefix(f.server, "tls:")
	switch {
	case f.trust != "" && listening:
		return a, usageError{errors.New("--tls-ca is for those who connect: workers, and whoever uses --server")}
	case f.trust != "" && !encrypted:
		return a, usageError{errors.New("--tls-ca goes with --server tls://HOST:PORT")}
	case f.cert == "" && !encrypted:
		return a, nil
	}
	a.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if f.cert != "" {
		pair, err := readPair(f.cert, f.key)
		if err != nil {
			return a, usageError{err}
		}
		a.TLS.Certificates = []tls.Certificate{pair}
	}
	if f.trust != "" {
		pem, err := os.ReadFile(f.trust)
		if err != nil {
			return a, usageError{fmt.Errorf("--tls-ca: %w", err)}
		}
		a.TLS.RootCAs = x509.NewCertPool()
		if !a.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return a, usageError{fmt.Errorf("--tls-ca: there is no certificate in %s", f.trust)}
		}
	}
	return a, nil
}

// readPair reads a certificate and its key, and refuses one that nobody would accept.
func readPair(cert, key string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	switch {
	case err != nil:
		return pair, fmt.Errorf("--tls-cert, --tls-key: %w", err)
	case pair.Leaf != nil && time.Now().After(pair.Leaf.NotAfter):
		return pair, fmt.Errorf("--tls-cert: the certificate in %s has expired on %s", cert, pair.Leaf.NotAfter.Format(time.DateOnly))
	}
	return pair, nil
}

// ownSigned reports whether a certificate is signed by itself, so that workers need a copy of it.
func ownSigned(a cluster.Access) bool {
	if a.TLS == nil || len(a.TLS.Certificates) == 0 || a.TLS.Certificates[0].Leaf == nil {
		return false
	}
	leaf := a.TLS.Certificates[0].Leaf
	return bytes.Equal(leaf.RawIssuer, leaf.RawSubject)
}

// crewFlags are the flags of minimize and probe that let workers on other machines evaluate.
type crewFlags struct {
	accessFlags
	listen string
	verify float64
}

func (f *crewFlags) register(flags *pflag.FlagSet) {
	flags.Var(text(&f.listen), "listen", "let workers evaluate (untwist worker), which connect to `HOST:PORT`; needs --journal")
	f.accessFlags.register(flags, "let workers evaluate, which connect to the NATS server at `URL`, such as nats://127.0.0.1:4222; needs --journal")
	flags.Var(aShare.flag(&f.verify), "verify", "have this share of the points evaluated by a second worker, to find those whose values are wrong; they are not counted as queries (default none)")
}

// wanted reports whether workers evaluate.
func (f *crewFlags) wanted() bool { return f.listen != "" || f.server != "" }

// crewOnly are the flags that have no meaning without workers, and serverOnly those that have
// none without a server of ours.
var (
	crewOnly   = []string{"user", "tls-ca", "verify"}
	serverOnly = []string{"token-file", "tls-cert", "tls-key", "insecure"}
)

// fits checks that the flags go together.
func (f *crewFlags) fits(from *source, s subject, journal, live string) error {
	switch {
	case !f.wanted():
		if flag := from.first(crewOnly); flag != "" {
			return from.wrong(flag, "goes with --listen or --server")
		}
		if flag := from.first(serverOnly); flag != "" && live == "" {
			return from.wrong(flag, "goes with --listen, --server or --live")
		}
		return nil
	case f.listen != "" && f.server != "":
		return usageError{errors.New("--listen and --server exclude each other: one is a server in this program, the other one that runs already")}
	case journal == "":
		return usageError{errors.New("--listen and --server need --journal FILE: workers come and go, and the journal keeps what they have found")}
	case s.caller != nil:
		return usageError{errors.New("--caller evaluates the points itself: --listen and --server cannot be given with it")}
	}
	access, err := f.access(f.listen != "")
	switch {
	case err != nil:
		return err
	case f.listen != "":
		return from.usage(access.CheckListen(f.listen))
	}
	return from.usage(access.CheckServer(f.server))
}
