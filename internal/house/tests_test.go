package house

import (
	"fmt"
	"go/ast"
	"go/doc"
	"slices"
	"strings"
	"testing"
)

const (
	rapid  = "pgregory.net/rapid"
	seeded = module + "/internal/seeded"
)

// unseeded complains of a room whose tests use rapid and draw other cases each
// time. The tests of a room are one program: it is enough that one file of them
// imports internal/seeded.
func unseeded(r room) []string {
	imports := func(path string) bool {
		return slices.ContainsFunc(r.tests, func(f file) bool {
			return slices.ContainsFunc(f.imports(), func(i imported) bool { return i.path == path })
		})
	}
	if module+"/"+r.name != seeded && imports(rapid) && !imports(seeded) {
		return []string{"a test imports rapid and none imports " + seeded}
	}
	return nil
}

// unshown complains of a public package without an example that runs: one whose output
// is compared. Programs and examples are for nobody to import.
func unshown(r room) []string {
	parts := strings.Split(r.name, "/")
	if slices.Contains(parts, "internal") || parts[0] == "cmd" || parts[0] == "examples" {
		return nil
	}
	for _, f := range r.tests {
		for _, e := range doc.Examples(f.syntax) {
			if e.Output != "" {
				return nil
			}
		}
	}
	return []string{"no test file has an Example with an Output"}
}

// sleeping returns where the tests of a room sleep. A test that sleeps to wait
// for something is slow, and fails when the machine is slower. It should wait
// for a sign: a channel, a counter, a file that appears.
func sleeping(r room) (complaints []string) {
	for _, f := range r.tests {
		for _, sleep := range sleeps(f) {
			complaints = append(complaints, fmt.Sprintf("%s:%d: a test sleeps: wait for a sign instead",
				f.name, f.set.Position(sleep.Pos()).Line))
		}
	}
	return complaints
}

// sleeps returns where a file mentions time.Sleep, or receives from time.After
// other than in a case of a select, where it is the limit of another wait.
func sleeps(f file) (all []ast.Node) {
	clock := func(e ast.Expr, name string) bool { // time.name
		s, ok := e.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != name {
			return false
		}
		pkg, ok := s.X.(*ast.Ident)
		return ok && slices.Contains(f.imports(), imported{pkg.Name, "time"})
	}
	limit := map[ast.Node]bool{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec: // with import . "time" one could not tell
			if n.Name != nil && n.Name.Name == "." && n.Path.Value == `"time"` {
				all = append(all, n)
			}
		case *ast.SelectorExpr:
			if clock(n, "Sleep") {
				all = append(all, n)
			}
		case *ast.CommClause:
			if receive, ok := n.Comm.(*ast.ExprStmt); ok {
				limit[receive.X] = true
			}
		case *ast.UnaryExpr:
			if call, ok := n.X.(*ast.CallExpr); ok && !limit[n] && clock(call.Fun, "After") {
				all = append(all, n)
			}
		}
		return true
	})
	return all
}

func TestTheHouseNoticesTestsThatAreNotSeeded(t *testing.T) {
	const uses, helps = `import "pgregory.net/rapid"`, `import _ "` + module + `/internal/seeded"`
	for _, c := range []struct {
		about string
		room  room
		want  int
	}{
		{"rapid", built(t, "cbo", "x_test.go", uses), 1},
		{"rapid and seeded", built(t, "cbo", "x_test.go", uses+";"+helps), 0},
		{"rapid and seeded in two files", built(t, "cbo", "x_test.go", uses, "y_test.go", helps), 0},
		{"no rapid", built(t, "cbo", "x_test.go", `import "testing"`), 0},
		{"seeded in no test", built(t, "cbo", "x_test.go", uses, "y.go", helps), 1},
	} {
		wantComplaints(t, unseeded, c.room, c.want, c.about)
	}
}

func TestTheHouseNoticesPackagesWithoutAnExample(t *testing.T) {
	const shown, silent = "func Example() {\n\tprintln(1)\n\t// Output: 1\n}", "func Example() { println(1) }"
	for _, c := range []struct {
		about string
		room  room
		want  int
	}{
		{"none", built(t, "cbo", "x_test.go", `func f() {}`), 1},
		{"no output", built(t, "cbo", "x_test.go", silent), 1},
		{"an example", built(t, "cbo", "x_test.go", shown), 0},
		{"not in a test", built(t, "cbo", "x.go", shown), 1},
		{"internal", built(t, "internal/kernel", "x_test.go", silent), 0},
		{"a program", built(t, "cmd/untwist", "x.go", `func main() {}`), 0},
		{"an example that is a program", built(t, "examples/gofunc", "x.go", `func main() {}`), 0},
	} {
		wantComplaints(t, unshown, c.room, c.want, c.about)
	}
}

func TestTheHouseNoticesTestsThatSleep(t *testing.T) {
	for source, want := range map[string]int{
		`import "time"; func f() { time.Sleep(time.Second) }`:                                   1,
		`import clock "time"; func f() { for { if g() { clock.Sleep(1) } } }`:                   1,
		`import "time"; var pause = time.Sleep`:                                                 1,
		`import . "time"; func f() { Sleep(1) }`:                                                1,
		`import "time"; func f() { <-time.After(1) }`:                                           1,
		`import "time"; func f() { select { case <-c: case <-time.After(9): panic("late") } }`:  0,
		`import "time"; func f() { select { case <-c: time.Sleep(1); case <-time.After(9): } }`: 1,
		`import "time"; func f() { select { case <-c: <-time.After(1); default: } }`:            1,
		`import "time"; func f() { time.Now() }`:                                                0,
		`import "example.org/bed"; func f() { bed.Sleep(1) }`:                                   0,
	} {
		wantComplaints(t, sleeping, built(t, "cbo", "x_test.go", source), want, source)
		wantComplaints(t, sleeping, built(t, "cbo", "x.go", source), 0, source)
	}
}
