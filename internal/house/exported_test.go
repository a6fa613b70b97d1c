package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// internal reports whether only the packages of this module can import a path.
func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// unusable returns where the exported declarations of a public package mention
// what an internal package declares: a user of the package can neither make
// such a value nor name its type.
//
// It looks at the syntax alone. So an exported variable or constant that takes
// its value from an internal package has to say its type.
func unusable(r room) []string {
	if internal(r.name) || len(r.files) == 0 || r.files[0].syntax.Name.Name == "main" {
		return nil
	}
	o := outside{types: map[string]declared{}, seen: map[string]bool{}}
	for _, f := range r.files {
		o.learn(f)
	}
	for _, f := range r.files {
		o.read(f)
	}
	// Types that are not exported are seen where exported declarations mention
	// them, and this may show more of them.
	for len(o.queue) > 0 {
		d := o.queue[0]
		o.queue = o.queue[1:]
		o.readType(d)
	}
	return o.complaints
}

// outside is what a package shows to others.
type outside struct {
	types      map[string]declared // the types of the package, by name
	seen       map[string]bool     // those that are read, or in the queue
	queue      []declared
	complaints []string
}

// A declared type, with its methods.
type declared struct {
	file    file
	spec    *ast.TypeSpec
	methods []method
}

type method struct {
	file file
	decl *ast.FuncDecl
}

// learn notes the types and methods that a file declares.
func (o *outside) learn(f file) {
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					d := o.types[spec.Name.Name]
					d.file, d.spec = f, spec
					o.types[spec.Name.Name] = d
				}
			}
		case *ast.FuncDecl:
			if decl.Recv != nil {
				name := receiver(decl)
				d := o.types[name]
				d.methods = append(d.methods, method{f, decl})
				o.types[name] = d
			}
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(decl *ast.FuncDecl) string {
	name := ""
	ast.Inspect(decl.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" { // the first, before type parameters
			name = id.Name
		}
		return name == ""
	})
	return name
}

// read looks at what a file exports.
func (o *outside) read(f file) {
	for _, i := range f.imports() {
		if i.name == "." && internal(i.path) {
			o.complain(f, f.syntax, "a package imported as \".\"", i.path)
		}
	}
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && decl.Name.IsExported() {
				o.mention(f, decl.Name.Name, decl.Type)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						o.show(spec.Name.Name)
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported) {
						o.readValue(f, spec)
					}
				}
			}
		}
	}
}

// readValue looks at a variable or constant: at its type or, where it has
// none, at the values that decide the type.
func (o *outside) readValue(f file, spec *ast.ValueSpec) {
	name := spec.Names[0].Name
	if spec.Type != nil {
		o.mention(f, name, spec.Type)
		return
	}
	for _, value := range spec.Values {
		for {
			if u, ok := value.(*ast.UnaryExpr); ok && u.Op == token.AND {
				value = u.X
				continue
			}
			break
		}
		switch value := value.(type) {
		case *ast.CompositeLit:
			o.mention(f, name, value.Type)
		case *ast.FuncLit:
			o.mention(f, name, value.Type)
		case *ast.CallExpr: // a function, a conversion, or new(T) and make(T)
			o.mention(f, name, value.Fun)
			if fun, ok := value.Fun.(*ast.Ident); ok && (fun.Name == "new" || fun.Name == "make") {
				o.mention(f, name, value.Args[0])
			}
		default:
			o.mention(f, name, value)
		}
	}
}

// show puts a type of the package into the queue, once.
func (o *outside) show(name string) {
	if d, ok := o.types[name]; ok && d.spec != nil && !o.seen[name] {
		o.seen[name] = true
		o.queue = append(o.queue, d)
	}
}

// readType looks at a type: what it is made of, and its exported methods.
func (o *outside) readType(d declared) {
	name := d.spec.Name.Name
	if d.spec.TypeParams != nil {
		o.mention(d.file, name, d.spec.TypeParams)
	}
	o.mention(d.file, name, d.spec.Type)
	for _, m := range d.methods {
		if m.decl.Name.IsExported() {
			o.mention(m.file, name+"."+m.decl.Name.Name, m.decl.Type)
		}
	}
}

// mention complains of the internal packages that part of a declaration
// mentions, and shows the types of this package. Fields and methods that are
// not exported do not count.
func (o *outside) mention(f file, name string, part ast.Node) {
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if len(n.Names) > 0 && !inSignature(part, n) && !slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
				return false
			}
			o.mention(f, name, n.Type)
			return false
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			for _, i := range f.imports() {
				if ok && i.name == pkg.Name && internal(i.path) {
					o.complain(f, n, name, i.path+"."+n.Sel.Name)
				}
			}
			return !ok
		case *ast.Ident:
			o.show(n.Name)
		}
		return true
	})
}

// inSignature reports whether a field is a parameter or result, or a parameter
// of a type, and so counts whatever its name is.
func inSignature(part ast.Node, field *ast.Field) bool {
	found := false
	ast.Inspect(part, func(n ast.Node) bool {
		var lists []*ast.FieldList
		switch n := n.(type) {
		case *ast.FuncType:
			lists = []*ast.FieldList{n.TypeParams, n.Params, n.Results}
		case *ast.FieldList:
			if n == part { // the parameters of a type
				lists = []*ast.FieldList{n}
			}
		}
		for _, list := range lists {
			found = found || list != nil && slices.Contains(list.List, field)
		}
		return !found
	})
	return found
}

func (o *outside) complain(f file, at ast.Node, name, what string) {
	o.complaints = append(o.complaints, fmt.Sprintf("%s:%d: %s shows %s, which nobody outside can use",
		f.name, f.set.Position(at.Pos()).Line, name, what))
}

func TestTheHouseNoticesInternalTypesThatAreExported(t *testing.T) {
	const imports = `import "` + module + `/internal/rng"; import k "` + module + `/internal/kernel"; import "` + module + `/objective"; `
	for source, want := range map[string]int{
		`func F(s *rng.Stream) {}`:                                 1,
		`func F() (a int, s rng.Stream) { return }`:                1,
		`func F(s map[string][]k.Path) {}`:                         1,
		`func F(g func(rng.Stream) k.Path) {}`:                     2,
		`func F[T rng.Source](t T) {}`:                             1,
		`func f(s rng.Stream) {}`:                                  0,
		`func F(rng int) { k.Do() }`:                               0,
		`func F(o objective.Objective) {}`:                         0,
		`type T struct { S rng.Stream; n int }`:                    1,
		`type T struct { s rng.Stream }`:                           0,
		`type T struct { *rng.Stream }`:                            1,
		`type T struct { In struct { S rng.Stream } }`:             1,
		`type T struct { in struct { S rng.Stream } }`:             0,
		`type T struct { F func(s rng.Stream) }`:                   1,
		`type T struct { f func(s rng.Stream) }`:                   0,
		`type T struct { G, h rng.Stream }`:                        1,
		`type T = rng.Stream`:                                      1,
		`type t = rng.Stream`:                                      0,
		`type T rng.Stream`:                                        1,
		`type T[P rng.Source] struct{}`:                            1,
		`type T interface { M(s rng.Stream) }`:                     1,
		`type T interface { m(s rng.Stream) }`:                     0,
		`type T interface { rng.Source }`:                          1,
		`type T struct{}; func (t *T) M(s rng.Stream) {}`:          1,
		`type T struct{}; func (t *T) m(s rng.Stream) {}`:          0,
		`type T[P any] struct{}; func (t T[P]) M() rng.Stream`:     1,
		`type t struct{}; func (t) M(s rng.Stream) {}`:             0,
		`type t struct{}; func (t) M(s rng.Stream) {}; var X t`:    1,
		`type t = rng.Stream; func F(s t) {}`:                      1,
		`type t struct { S rng.Stream }; type T struct { t }`:      1,
		`type t struct { S rng.Stream }; type T struct { x t }`:    0,
		`type t struct { u }; type u []k.Path; func F() (x *t)`:    1,
		`var X rng.Stream`:                                         1,
		`var X float64 = rng.Draw()`:                               0,
		`var X = rng.New(1)`:                                       1,
		`var X = rng.Stream{}`:                                     1,
		`var X = &rng.Stream{}`:                                    1,
		`var X = new(rng.Stream)`:                                  1,
		`var X = []rng.Stream{}`:                                   1,
		`var X = func(s rng.Stream) {}`:                            1,
		`var X = []float64{k.Half}`:                                0,
		`var x = rng.New(1)`:                                       0,
		`const C = k.Half`:                                         1,
		`const C float64 = k.Half`:                                 0,
		`import . "` + module + `/internal/words"`:                 1,
		`import "go/internal/x"; type T struct{ X x.Y }`:           1,
		`import "internals"; type T struct{ X internals.Internal}`: 0,
	} {
		text := imports + source
		if strings.HasPrefix(source, "import") {
			text = source
		}
		for _, room := range []string{"cbo", "."} {
			wantComplaints(t, unusable, built(t, room, "x.go", text), want, source)
		}
		wantComplaints(t, unusable, built(t, "internal/words", "x.go", text), 0, source)
		wantComplaints(t, unusable, built(t, "cbo", "x_test.go", text), 0, source)
	}
	// A type, its method and the import may stand in three files.
	wantComplaints(t, unusable, built(t, "cbo", "a.go", "func (t *T) M() *u { return nil }", "b.go", "type T struct{}",
		"c.go", imports+"type u struct { P k.Path }"), 1, "three files")
}
