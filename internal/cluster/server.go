package cluster

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
)

// startWithin is how long the server may take to start.
const startWithin = 10 * time.Second

// A Server is a NATS server in this process, for one run. Workers reach it by its address.
// What they may do there is limited, whether there is a token or not.
type Server struct {
	server *server.Server
	key    string // by which the coordinator is known, who may do everything
	dir    string
	url    string
}

// Listen starts a server for a run on an address, HOST:PORT. With port 0 the system chooses
// one.
func Listen(run RunID, address string, a Access) (*Server, error) {
	if err := a.CheckListen(address); err != nil {
		return nil, err
	}
	host, port, err := split(address)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s := &Server{key: nonce()}
	if s.dir, err = os.MkdirTemp("", "untwist-queue-"); err != nil {
		return nil, fmt.Errorf("the queue has no folder: %w", err)
	}
	door := &doorman{run: run, token: a.Token, key: s.key}
	scheme := "nats"
	if a.TLS != nil {
		scheme = "tls"
	}
	if s.server, err = server.NewServer(&server.Options{
		ServerName: "untwist", Host: host, Port: port, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: s.dir, MaxPayload: wire.LongestMessage,
		TLSConfig: a.TLS, TLS: a.TLS != nil, TLSTimeout: 5, AuthTimeout: 5,
		CustomClientAuthentication: door,
	}); err != nil {
		return nil, errors.Join(fmt.Errorf("the queue cannot be started: %w", err), os.RemoveAll(s.dir))
	}
	if door.workers, err = fence(s.server, run); err != nil {
		return nil, errors.Join(fmt.Errorf("the queue cannot be started: %w", err), os.RemoveAll(s.dir))
	}
	if listener, err := net.Listen("tcp", address); err != nil { // it would say so in a log only
		return nil, errors.Join(fmt.Errorf("--listen %s: %w", address, errors.Unwrap(err)), os.RemoveAll(s.dir))
	} else {
		listener.Close()
	}
	s.server.Start()
	if !s.server.ReadyForConnections(startWithin) {
		return nil, errors.Join(fmt.Errorf("no worker can connect to %s: is another program listening there?", address), s.Close())
	}
	if queues := s.server.GlobalAccount(); !queues.JetStreamEnabled() { // it is not, where there are other accounts
		if err := queues.EnableJetStream(nil, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("the queue cannot be started: %w", err), s.Close())
		}
	}
	if err := os.RemoveAll(s.dir); err != nil { // everything is in memory, and nothing is left if we are killed
		return nil, errors.Join(fmt.Errorf("the queue's folder: %w", err), s.Close())
	}
	if addr, ok := s.server.Addr().(*net.TCPAddr); ok {
		port = addr.Port
	}
	s.url = scheme + "://" + net.JoinHostPort(host, strconv.Itoa(port))
	return s, nil
}

// URL returns the address of the server, as a worker on this machine writes it.
func (s *Server) URL() string { return s.url }

// connect connects the coordinator, within the process.
func (s *Server) connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append(options, nats.InProcessServer(s.server), nats.Token(s.key))...)
}

// Close ends the server. What is in its queue is lost; the journal has all values. There need not be
// a server.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	s.server.Shutdown()
	s.server.WaitForShutdown()
	return os.RemoveAll(s.dir)
}

// split reads HOST:PORT.
func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not HOST:PORT, such as 127.0.0.1:4222", address)
	}
	if port, err = strconv.Atoi(text); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q: the port must be a number up to 65535", address)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, port, nil
}

func nonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// A doorman decides who may connect, and what they may do.
type doorman struct {
	run     RunID
	token   string // of the workers; "": they need none
	key     string // of the coordinator
	workers *server.Account
}

// clientName is what the name of a client must be: so much chance that nobody can guess it
// and listen to the answers that another client gets.
var clientName = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Check is called by the server for every connection.
func (d *doorman) Check(c server.ClientAuthentication) bool {
	options := c.GetOpts()
	if same(options.Token, d.key) {
		c.RegisterUser(&server.User{Username: "coordinator"})
		return true
	}
	if d.token != "" && !same(options.Token, d.token) || !clientName.MatchString(options.Name) {
		return false
	}
	c.RegisterUser(&server.User{Username: "worker", Account: d.workers, Permissions: workerPermissions(d.run, options.Name)})
	return true
}

// same compares secrets without telling how much of them is right.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
