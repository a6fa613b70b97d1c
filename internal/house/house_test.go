package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/untwist/untwist"

// floors is the house, from the ground up; "." is the root package. Rooms that
// are yet to be built have their place already.
var floors = [][]string{
	{"internal/kernel", "internal/words"},
	{"objective", "internal/rng"},
	{"frame"},
	{"hessian", "cbo", "cmaes", "line", "problem", "journal", "asktell"},
	{"identify"},
	{"strategy", "strategy/auto"},
	{"."},
	{"experiment", "report", "store", "program", "cluster"},
	{"cmd/untwist", "dashboard"},
}

// doors are the imports allowed within a floor.
var doors = map[string][]string{"experiment": {"store", "report"}, "strategy/auto": {"strategy"}}

// algorithms are plain deterministic functions: the packages that start no
// goroutine, read no clock, open no file and draw no random number but from a
// stream of internal/rng.
var algorithms = []string{
	"internal/kernel", "internal/rng", "frame", "problem",
	"hessian", "cbo", "cmaes", "line", "asktell", "identify", "strategy", "strategy/auto",
}

// forbidden are the packages, with those below them, that no algorithm imports.
var forbidden = []string{"os", "net", "time", "log", "syscall", "io/fs", "crypto/rand"}

// licences are the exceptions: kernel reads one environment variable, which
// forces a path, and runs large matrix products on several cores. Neither
// changes a bit of what it computes, and its tests show that.
var licences = map[string][]string{"internal/kernel": {"os", "go"}}

// A room is a package as go list describes it.
type room struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

// name is the import path within the module, "." for the root.
func name(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func rooms(t *testing.T) []room {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []room
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var r room
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if r.ImportPath != module+"/internal/house" {
			all = append(all, r)
		}
	}
	if len(all) < 8 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	return all
}

func floorOf(room string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, room) })
}

// upward says why an import is not allowed, or "".
func upward(from, to string) string {
	switch {
	case floorOf(from) < 0:
		return fmt.Sprintf("%s has no floor: give it one in internal/house", from)
	case floorOf(to) < 0:
		return fmt.Sprintf("%s has no floor: give it one in internal/house", to)
	case floorOf(to) < floorOf(from), slices.Contains(doors[from], to):
		return ""
	}
	return fmt.Sprintf("%s (floor %d) imports %s (floor %d); imports go down only", from, floorOf(from), to, floorOf(to))
}

func TestImportsGoDown(t *testing.T) {
	for _, r := range rooms(t) {
		from, _ := name(r.ImportPath)
		if floorOf(from) < 0 {
			t.Error(upward(from, from))
		}
		for _, path := range r.Imports {
			if to, ours := name(path); ours {
				if why := upward(from, to); why != "" {
					t.Error(why)
				}
			}
		}
	}
}

func TestAlgorithmsArePlainFunctions(t *testing.T) {
	for _, r := range rooms(t) {
		here, _ := name(r.ImportPath)
		for _, file := range r.GoFiles {
			fset := token.NewFileSet()
			syntax, err := parser.ParseFile(fset, filepath.Join(r.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, complaint := range inspect(here, syntax) {
				t.Errorf("%s/%s: %s", here, file, complaint)
			}
		}
	}
}

// inspect returns what a file of package here must not do.
func inspect(here string, file *ast.File) (complaints []string) {
	algorithm := slices.Contains(algorithms, here)
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		chance := path == "math/rand" || path == "math/rand/v2"
		if chance && here != "internal/rng" {
			complaints = append(complaints, "draws random numbers that do not come from internal/rng")
		}
		for _, root := range forbidden {
			if algorithm && !slices.Contains(licences[here], path) && (path == root || strings.HasPrefix(path, root+"/")) {
				complaints = append(complaints, "is an algorithm and imports "+path)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if algorithm && !slices.Contains(licences[here], "go") {
				complaints = append(complaints, "is an algorithm and starts a goroutine")
			}
		case *ast.SelectorExpr:
			if algorithm && n.Sel.Name == "Go" && !slices.Contains(licences[here], "go") { // of a sync.WaitGroup
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

// The test itself can fail.
func TestTheHouseNotices(t *testing.T) {
	for _, c := range [][2]string{
		{"objective", "cbo"}, {"cbo", "strategy"}, {"cbo", "problem"}, {"strategy", "."}, {"frame", "frame"},
		{"store", "report"}, {"new", "frame"}, {"frame", "new"},
	} {
		if upward(c[0], c[1]) == "" {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
	for _, c := range [][2]string{{"strategy", "cbo"}, {".", "objective"}, {"experiment", "store"}, {"cmd/untwist", "."}} {
		if why := upward(c[0], c[1]); why != "" {
			t.Error(why)
		}
	}
	for source, want := range map[string]int{
		`import "math"; var x = math.Pi`:                         0,
		`import "time"; var now = time.Now()`:                    1,
		`import "os"`:                                            1,
		`import "net/http"`:                                      1,
		`import "math/rand/v2"; var x = rand.Float64()`:          1,
		`import "math/rand"`:                                     1,
		`func f() { go f() }`:                                    1,
		`import "sync"; func f(w *sync.WaitGroup) { w.Go(nil) }`: 1,
		`import ("os"; "net"); func f() { go f(); go f() }`:      4,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := inspect("cbo", file); len(got) != want {
			t.Errorf("%s: complaints %q, want %d", source, got, want)
		}
	}
	file, _ := parser.ParseFile(token.NewFileSet(), "x.go", `package x; import ("os"; "time"); func f() { go f() }`, 0)
	if got := inspect("internal/kernel", file); len(got) != 1 {
		t.Errorf("os, time and go in internal/kernel: complaints %q", got)
	}
	file, _ = parser.ParseFile(token.NewFileSet(), "x.go", `package x; import "math/rand/v2"; var x = rand.IntN(3)`, 0)
	if got := inspect("internal/rng", file); len(got) != 1 {
		t.Errorf("rand.IntN in internal/rng: complaints %q", got)
	}
}

// The compiler may fuse x*y + z where the processor can: on arm64, and on
// amd64 with GOAMD64=v3. Results would then depend on the build. So a product
// that goes into a sum is converted, float64(x*y), which forbids that; where
// fusing is meant it says math.FMA.
func TestNothingFusesUnasked(t *testing.T) {
	fused := regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\s+(VFN?M(ADD|SUB)|FN?M(ADD|SUB)D)`)
	for _, build := range []string{"GOARCH=amd64 GOAMD64=v3", "GOARCH=arm64"} {
		args := []string{"build", "-gcflags=-S"}
		for _, r := range rooms(t) {
			if here, _ := name(r.ImportPath); slices.Contains(algorithms, here) || here == "objective" || here == "." {
				args = append(args, r.ImportPath)
			}
		}
		command := exec.Command("go", args...)
		command.Env = append(os.Environ(), strings.Fields(build)...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", build, err, out)
		}
		asked := 0
		for _, found := range fused.FindAllStringSubmatch(string(out), -1) {
			if strings.Contains(found[1], "@") {
				continue // inlined from another module
			}
			line := sourceLine(t, found[1], found[2])
			if strings.Contains(line, "math.FMA") {
				asked++
			} else {
				t.Errorf("%s: %s:%s fuses: %s", build, found[1], found[2], line)
			}
		}
		if asked == 0 {
			t.Errorf("%s: no math.FMA found: is this how the compiler still writes it?", build)
		}
	}
}

// sourceLine returns a line of a file.
func sourceLine(t *testing.T, file, number string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(number)
	return strings.TrimSpace(strings.Split(string(text), "\n")[n-1])
}
