package cluster

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// Access is what is needed to reach a server, or to be one.
type Access struct {
	// Token is the secret that the coordinator and its workers share. "": there is none,
	// which is allowed on the loopback address only.
	Token string
	// User is the name with which the token is the password, on a server that is not ours
	// and has users. "": the token is enough.
	User string
	// TLS encrypts the connection: the certificate of a server, or whom a client trusts.
	// nil: it is not encrypted, which is allowed on the loopback address only, or if
	// Insecure says so.
	TLS *tls.Config
	// Insecure sends the token and everything else without encryption.
	Insecure bool
}

// CheckListen says what is missing to listen on an address.
func (a Access) CheckListen(address string) error {
	host, _, err := split(address)
	if err != nil {
		return objective.BadOption("Listen", "%v", err)
	}
	if a.User != "" {
		return objective.BadOption("User", "a server of this program has no users: --user goes with --server")
	}
	return a.check("Listen", address, host, a.TLS != nil)
}

// CheckServer says what is missing to connect to a server, such as nats://host:4222.
func (a Access) CheckServer(server string) error {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls":
		return objective.BadOption("Server", "%q is not the address of a server, such as nats://127.0.0.1:4222 or tls://host:4222", server)
	case u.Path != "" && u.Path != "/", u.RawQuery != "":
		return objective.BadOption("Server", "%q has something behind its address", server)
	case u.User != nil:
		return objective.BadOption("Server", "write the secret into a file for --token-file, where others do not see it")
	case a.User != "" && !userName.MatchString(a.User):
		return objective.BadOption("User", "%q is not the name of a user: letters, digits, - and _ may be in it", a.User)
	case a.User != "" && a.Token == "":
		return objective.BadOption("User", "%s needs a password: give --token-file FILE", a.User)
	}
	return a.check("Server", server, u.Hostname(), u.Scheme == "tls")
}

// userName is what the name of a user may be: it is a part of subjects.
var userName = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// check says what is missing on a host.
func (a Access) check(option, address, host string, encrypted bool) error {
	how := "--tls-cert FILE --tls-key FILE"
	if option == "Server" {
		how = "tls:// instead of nats://"
	}
	switch {
	case option == "Server" && a.TLS != nil && !encrypted:
		return objective.BadOption(option, "%s: certificates go with tls://, not nats://", address)
	case Loopback(host):
		return nil
	case a.Token == "":
		return objective.BadOption(option, "%s can be reached by others, so it needs a secret: give --token-file FILE (openssl rand -hex 32 makes one, and workers need a copy)", address)
	case !encrypted && !a.Insecure:
		return objective.BadOption(option, "%s: everybody on the way could read the token and the values. Use TLS (%s), or say --insecure if the network is yours", address, how)
	}
	return nil
}

// Loopback reports whether a host is this machine, and nobody else can reach it.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ReadToken reads a token from a file: its only line.
func ReadToken(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	const least, most = 8, 1024
	switch {
	case len(token) < least:
		return "", fmt.Errorf("%s: a token needs at least %d characters; openssl rand -hex 32 makes one", file, least)
	case strings.ContainsAny(token, " \t\r\n") || wire.Line(token, most) != token:
		return "", fmt.Errorf("%s: a token is one word of at most %d characters", file, most)
	}
	return token, nil
}
