package guardian

import (
	"bytes"
	"slices"
	"syscall"
	"testing"
)

func FuzzCommands(f *testing.F) {
	f.Add("/bin/sh", "/tmp", "sh", "-c", "A=1", uint16(10))
	f.Add("", "", "", "", "", uint16(0))
	f.Fuzz(func(t *testing.T, path, dir, first, second, env string, cut uint16) {
		c := Command{Path: path, Dir: dir, Args: []string{first, second}, Env: []string{env, ""}}
		m, err := readMessage(bytes.NewReader(startMessage(17, c).bytes()))
		if err != nil || m.kind != begin || m.job != 17 {
			t.Fatalf("%+v, %v", m, err)
		}
		got, err := m.command()
		if err != nil || got.Path != path || got.Dir != dir || !slices.Equal(got.Args, c.Args) || !slices.Equal(got.Env, c.Env) {
			t.Errorf("%+v, %v, want %+v", got, err, c)
		}
		m.body = m.body[:int(cut)%(len(m.body)+1)]
		m.command() // does not panic
		if _, err := readMessage(bytes.NewReader(startMessage(17, c).bytes()[:headerSize+len(m.body)])); err == nil && int(cut) != 0 && len(m.body) < len(startMessage(17, c).body) {
			t.Error("a message that was cut was read")
		}
	})
}

func TestStatesAreSent(t *testing.T) {
	for _, s := range []State{{}, {Code: 255}, {Code: -1, Signal: syscall.SIGKILL}, {Code: 1, Killed: true}} {
		m, err := readMessage(bytes.NewReader(exitedMessage(3, s).bytes()))
		if err != nil || m.state() != s || m.job != 3 {
			t.Errorf("%+v, %v, want %+v", m.state(), err, s)
		}
	}
	if _, err := readMessage(bytes.NewReader([]byte("no message, but text of some length"))); err == nil {
		t.Error("text was read as a message")
	}
}
