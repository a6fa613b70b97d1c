package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
)

const (
	// reconnect is how long a client waits before it tries again to reach the server.
	reconnect = 250 * time.Millisecond
	// dialWithin is how long one attempt to connect may take.
	dialWithin = 5 * time.Second
	// answerWithin is how long a request waits for its answer.
	answerWithin = 5 * time.Second
)

// A link is what a client says to connect.
type link struct {
	server string
	access Access
}

// options are those of every client. A client has a name that nobody can guess, and gets
// its answers where only it can read them. It reconnects for ever, and holds nothing back
// meanwhile: what is not sent is said again by those who wait for an answer.
func (l link) options(more ...nats.Option) []nats.Option {
	name := nonce()
	inbox := inboxOf(name)
	if l.access.User != "" { // a server that is not ours can tell users apart, and nobody else
		inbox = inboxOf(l.access.User + "." + name)
	}
	all := []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(inbox), nats.MaxReconnects(-1), nats.ReconnectWait(reconnect),
		nats.ReconnectJitter(reconnect, reconnect), nats.ReconnectBufSize(-1), nats.Timeout(dialWithin),
		nats.PingInterval(beat), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // or they go to standard error
	}
	switch {
	case l.access.User != "":
		all = append(all, nats.UserInfo(l.access.User, l.access.Token))
	case l.access.Token != "":
		all = append(all, nats.Token(l.access.Token))
	}
	if l.access.TLS != nil {
		all = append(all, nats.Secure(l.access.TLS))
	}
	return append(all, more...)
}

// connect connects once.
func (l link) connect(more ...nats.Option) (*nats.Conn, error) {
	if err := l.access.CheckServer(l.server); err != nil {
		return nil, err
	}
	nc, err := nats.Connect(l.server, l.options(more...)...)
	if err != nil {
		return nil, l.explain(err)
	}
	return nc, nil
}

// A ConnectError says why a server cannot be used. Where Fatal is true it is of no use to
// try again.
type ConnectError struct {
	Server string
	Reason string
	Fatal  bool
}

func (e *ConnectError) Error() string { return e.Server + ": " + e.Reason }

// explain says in one line why a connection failed.
func (l link) explain(err error) error {
	fatal := func(format string, args ...any) error {
		return &ConnectError{l.server, fmt.Sprintf(format, args...), true}
	}
	var certificate *tls.CertificateVerificationError
	var stranger x509.UnknownAuthorityError
	var name x509.HostnameError
	var lookup *net.DNSError
	var slow net.Error
	switch {
	case errors.Is(err, nats.ErrAuthorization), strings.Contains(strings.ToLower(err.Error()), "authorization violation"):
		return fatal("%s", l.unwelcome())
	case l.access.TLS == nil && (errors.As(err, &certificate) || errors.Is(err, nats.ErrSecureConnRequired)):
		return fatal("the server wants TLS: write tls:// instead of nats://")
	case errors.As(err, &stranger):
		return fatal("the server's certificate is not accepted: nobody knows who has signed it; --tls-ca FILE names whom to trust")
	case errors.As(err, &name):
		return fatal("the server's certificate is not for the name %s: write the name that it is for, or make one for this (docs/cluster.md)", name.Host)
	case errors.As(err, &certificate):
		return fatal("the server's certificate is not accepted: %v", certificate.Err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fatal("the server does not speak TLS: write nats:// instead of tls://, with --insecure if it is not this machine")
	case errors.Is(err, nats.ErrNoServers):
		return &ConnectError{l.server, "nothing answers there", false}
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return &ConnectError{l.server, "there is no machine of this name", false}
	case errors.As(err, &slow) && slow.Timeout():
		return &ConnectError{l.server, fmt.Sprintf("nothing there answers within %v, as a NATS server would", dialWithin), false}
	}
	return &ConnectError{l.server, "no connection: " + wire.Line(err.Error(), 200), false}
}

// unwelcome says what is wrong with who we say we are.
func (l link) unwelcome() string {
	switch {
	case l.access.User != "":
		return fmt.Sprintf("the server does not accept the user %s with the password of --token-file (one of untwist minimize --listen has no users)", l.access.User)
	case l.access.Token == "":
		return "the server wants a token: give --token-file FILE"
	}
	return "the server does not accept the token: --token-file must name a copy of the coordinator's, and on a server that has users --user has to be given"
}
