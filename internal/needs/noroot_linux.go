package needs

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// NoRoot calls f without the rights of root on files.
func NoRoot(t testing.TB, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and the thread ends with the goroutine
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}
