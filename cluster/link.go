package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/cluster/wire"
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
	all := []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(inboxOf(name)), nats.MaxReconnects(-1), nats.ReconnectWait(reconnect),
		nats.ReconnectJitter(reconnect, reconnect), nats.ReconnectBufSize(-1), nats.Timeout(dialWithin),
		nats.PingInterval(beat), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
	}
	if l.access.Token != "" {
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
	switch {
	case errors.Is(err, nats.ErrAuthorization), strings.Contains(strings.ToLower(err.Error()), "authorization violation"):
		return fatal("the server does not accept the token; --token-file must name the coordinator's")
	case errors.As(err, &certificate):
		return fatal("the server's certificate is not accepted: %v", certificate.Err)
	case errors.Is(err, nats.ErrNoServers):
		return &ConnectError{l.server, "nothing answers there", false}
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fatal("the server wants TLS: write tls:// instead of nats://")
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fatal("the server does not speak TLS: write nats:// instead of tls://, with --insecure if it is not this machine")
	}
	return &ConnectError{l.server, "no connection: " + wire.Line(err.Error(), 200), false}
}
