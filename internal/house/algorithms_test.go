package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// algorithms are plain deterministic functions: the packages that start no
// goroutine, read no clock, open no file and draw no random number but from a
// stream of internal/rng.
var algorithms = []string{
	"internal/kernel", "internal/rng", "internal/grains", "frame", "jointdiag", "internal/outer", "powermethod", "internal/parameter",
	"problem", "certify", "hessian", "cbo", "cmaes", "internal/line", "internal/descent", "internal/model", "internal/asktell", "identify",
	"internal/sensitivity", "strategy", "internal/auto",
}

// forbidden are the packages, with those below them, that no algorithm imports.
var forbidden = []string{"os", "net", "time", "log", "syscall", "io/fs", "crypto/rand"}

// licences are the exceptions: kernel reads one environment variable, which
// forces a path, and runs large matrix products on several cores. Neither
// changes a bit of what it computes, and its tests show that.
var licences = map[string][]string{"internal/kernel": {"os", "go"}}

// notPlain returns what the files of a room do and must not.
func notPlain(r room) (complaints []string) {
	for _, f := range r.files {
		for _, complaint := range inspect(r.name, f) {
			complaints = append(complaints, f.name+": "+complaint)
		}
	}
	return complaints
}

// inspect returns what a file of package here must not do.
func inspect(here string, f file) (complaints []string) {
	algorithm := slices.Contains(algorithms, here)
	goes := algorithm && !slices.Contains(licences[here], "go")
	for _, i := range f.imports() {
		path := i.path
		chance := path == "math/rand" || path == "math/rand/v2"
		if chance && here != "internal/rng" && !strings.HasPrefix(here, "examples/") { // which users imitate
			complaints = append(complaints, "draws random numbers that do not come from internal/rng")
		}
		for _, root := range forbidden {
			if algorithm && !slices.Contains(licences[here], path) && (path == root || strings.HasPrefix(path, root+"/")) {
				complaints = append(complaints, "is an algorithm and imports "+path)
			}
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if goes {
				complaints = append(complaints, "is an algorithm and starts a goroutine")
			}
		case *ast.SelectorExpr:
			if goes && n.Sel.Name == "Go" { // of a sync.WaitGroup
				complaints = append(complaints, "is an algorithm and starts a goroutine")
			}
			// Of math/rand only what takes its numbers from a given source.
			if pkg, ok := n.X.(*ast.Ident); ok && here == "internal/rng" && pkg.Name == "rand" && pkg.Obj == nil &&
				!slices.Contains([]string{"New", "NewPCG", "Rand"}, n.Sel.Name) {
				complaints = append(complaints, "uses rand."+n.Sel.Name+", which is not seeded")
			}
		}
		return true
	})
	return complaints
}

func TestTheHouseNoticesAlgorithmsThatAreNotPlain(t *testing.T) {
	for source, want := range map[string]int{
		`import "math"; var x = math.Pi`:                         0,
		`import "time"; var now = time.Now()`:                    1,
		`import clock "time"`:                                    1,
		`import "os"`:                                            1,
		`import (_ "os"; _ "time"; _ "math")`:                    2,
		`import "net/http"`:                                      1,
		`import "math/rand/v2"; var x = rand.Float64()`:          1,
		`import "math/rand"`:                                     1,
		`func f() { go f() }`:                                    1,
		`import "sync"; func f(w *sync.WaitGroup) { w.Go(nil) }`: 1,
		`import ("os"; "net"); func f() { go f(); go f() }`:      4,
	} {
		for _, here := range []string{"cbo", "internal/auto"} {
			wantComplaints(t, notPlain, built(t, here, "x.go", source), want, source)
		}
	}
	for _, c := range []struct {
		here, source string
		want         int
	}{
		{"internal/kernel", `import ("os"; "time"); func f() { go f() }`, 1},
		{"internal/rng", `import "math/rand/v2"; var x = rand.IntN(3)`, 1},
		{"internal/rng", `import "math/rand/v2"; var x = rand.New(nil)`, 0},
		{"report", `import "os"; func f() { go f() }`, 0},
	} {
		wantComplaints(t, notPlain, built(t, c.here, "x.go", c.source), c.want, c.source)
	}
}

// Every algorithm is a room of the house: a package that moves takes its rules along.
func TestAlgorithmsAreRooms(t *testing.T) {
	for _, name := range algorithms {
		if floorOf(name) < 0 {
			t.Errorf("%s has no floor", name)
		}
	}
}
