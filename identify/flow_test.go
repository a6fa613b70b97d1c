package identify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A step is a line of the diagram in FLOW.md: a function and its file.
type step struct {
	depth      int
	name, file string
}

// line matches "    → name   file.go   remark" and tells how far it is indented.
var line = regexp.MustCompile(`^    ( *)(→ )?(\w+) +([\w/]+\.go)( |$)`)

// diagram returns the lines of all diagrams.
func diagram(t *testing.T) []step {
	t.Helper()
	text, err := os.ReadFile("FLOW.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []step
	for row := range strings.Lines(string(text)) {
		m := line.FindStringSubmatch(strings.TrimRight(row, "\n"))
		if m == nil {
			if strings.Contains(row, "→") && strings.Contains(row, ".go") {
				t.Errorf("not understood: %s", row)
			}
			continue
		}
		depth := 0
		if m[2] != "" {
			depth = 1 + len(m[1])/2
		}
		all = append(all, step{depth, m[3], m[4]})
	}
	return all
}

// declared returns the bodies of the functions and methods of that name in a file.
func declared(t *testing.T, s step) []*ast.BlockStmt {
	t.Helper()
	path := s.file
	if filepath.Dir(path) != "." {
		path = filepath.Join("..", path)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var bodies []*ast.BlockStmt
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == s.name {
			bodies = append(bodies, f.Body)
		}
	}
	return bodies
}

// calls reports whether a function of that name is called in any of the bodies.
func calls(bodies []*ast.BlockStmt, name string) bool {
	found := false
	for _, body := range bodies {
		ast.Inspect(body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch f := call.Fun.(type) {
				case *ast.Ident:
					found = found || f.Name == name
				case *ast.SelectorExpr:
					found = found || f.Sel.Name == name
				}
			}
			return !found
		})
	}
	return found
}

// Every arrow of the diagram in FLOW.md is a call that is found in the file it
// names, and every function is where the diagram says.
func TestTheDiagramIsTheCode(t *testing.T) {
	all := diagram(t)
	if len(all) < 35 {
		t.Fatalf("the diagram has %d lines", len(all))
	}
	var above []step // the callers of the line at hand
	arrows := 0
	for _, s := range all {
		if s.depth > len(above) {
			t.Errorf("%s (%s) is indented too far", s.name, s.file)
			continue
		}
		above = append(above[:s.depth], s)
		if len(declared(t, s)) == 0 {
			t.Errorf("there is no %s in %s", s.name, s.file)
		}
		if s.depth == 0 {
			continue
		}
		arrows++
		if caller := above[s.depth-1]; !calls(declared(t, caller), s.name) {
			t.Errorf("%s in %s does not call %s", caller.name, caller.file, s.name)
		}
	}
	if arrows < 30 {
		t.Errorf("%d arrows", arrows)
	}
}
