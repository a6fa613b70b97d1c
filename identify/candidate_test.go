package identify

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// dump writes down every bit of v and of all that it points to.
func dump(to *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			to.WriteString("nil ")
			return
		}
		dump(to, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprintf(to, "%s:", v.Type().Field(i).Name)
			dump(to, v.Field(i))
		}
	case reflect.Slice:
		fmt.Fprintf(to, "%v[%d] ", v.IsNil(), v.Len())
		for i := range v.Len() {
			dump(to, v.Index(i))
		}
	case reflect.Float64:
		fmt.Fprintf(to, "%b ", v.Float())
	case reflect.Int:
		fmt.Fprintf(to, "%d ", v.Int())
	case reflect.Bool:
		fmt.Fprintf(to, "%v ", v.Bool())
	default:
		panic(fmt.Sprintf("a candidate has a %v, which this test does not know", v.Kind()))
	}
}

func dumped(c *candidate) string {
	var to strings.Builder
	dump(&to, reflect.ValueOf(c))
	return to.String()
}

// A candidate does not change: whatever is learnt about it or made of it, it keeps every
// bit, and so does everything else that was made of it before.
func TestCandidatesDoNotChange(t *testing.T) {
	const d = 4
	p := draw(t, "rastrigin", d, "paper", 3)
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(rt, "seed")
		g := groundOf(p, 2, seed)
		numbers := rng.Seed(seed).Stream("numbers")
		vector := func() []float64 { x := make([]float64, d); numbers.Norm(x); return x }
		operations := map[string]func(c *candidate) (*candidate, error){
			"seeing":    func(c *candidate) (*candidate, error) { return c.seeing(vector(), vector()), nil },
			"looked":    func(c *candidate) (*candidate, error) { return c.looked(g) },
			"withSteps": func(c *candidate) (*candidate, error) { return c.withSteps(g, 2) },
			"checked":   func(c *candidate) (*candidate, error) { return c.checked(g, 1) },
			"withInside": func(c *candidate) (*candidate, error) {
				return c.withInside(g)
			},
			"withBlocks": func(c *candidate) (*candidate, error) {
				return c.withBlocks([][][]int{{{0, 2}, {1}, {3}}, {{0}, {1, 2, 3}}, certify.Singles(d)}[numbers.IntN(3)]), nil
			},
			"recheckedTo": func(c *candidate) (*candidate, error) {
				again, err := c.checked(g, 1)
				if err != nil {
					return nil, err
				}
				return c.recheckedTo(again.check), nil
			},
			"redrawn": func(c *candidate) (*candidate, error) {
				e := mat.NewDense(d, d, nil)
				numbers.Norm(e.RawMatrix().Data)
				e.Scale(1e-2, e)
				return c.redrawn(g, e), nil
			},
			"refine": func(c *candidate) (*candidate, error) {
				_, c, err := refine(g, c, allGroups(c.blocks))
				return c, err
			},
		}
		start, err := newCandidate(g, p.Frame(), certify.Singles(d)).looked(g)
		if err != nil {
			rt.Fatal(err)
		}
		family := []*candidate{start}
		before := []string{dumped(start)}
		for range rapid.IntRange(1, 12).Draw(rt, "operations") {
			name := rapid.SampledFrom([]string{
				"seeing", "looked", "withSteps", "checked", "withInside", "withBlocks", "recheckedTo", "redrawn", "refine",
			}).Draw(rt, "operation")
			parent := family[rapid.IntRange(0, len(family)-1).Draw(rt, "of")]
			if name == "recheckedTo" && parent.check.residue == nil {
				continue // only what was checked is checked again
			}
			child, err := operations[name](parent)
			if err != nil {
				rt.Fatalf("%s: %v", name, err)
			}
			for k, c := range family {
				if dumped(c) != before[k] {
					rt.Fatalf("%s changed candidate %d of %d:\n%s\nwas\n%s", name, k, len(family), dumped(c), before[k])
				}
			}
			family, before = append(family, child), append(before, dumped(child))
		}
	})
}

// A second look makes the evidence worse, never better.
func TestEvidenceOfASecondLook(t *testing.T) {
	c := &candidate{check: check{residue: []float64{1, 5}, unit: []float64{2, 2}, floor: 0.1}}
	k := c.recheckedTo(check{residue: []float64{3, 4}, unit: []float64{9, 9}, floor: 0.2}).check
	if k.residue[0] != 3 || k.residue[1] != 5 || k.unit[0] != 2 || k.floor != 0.2 {
		t.Errorf("%+v", k)
	}
}

// By hand: errors 0.5, 0.02 and 0.1, where a floor hides the second, and then all of
// them.
func TestCheckByHand(t *testing.T) {
	k := check{residue: []float64{1, 0.04, 0.2}, unit: []float64{2, 2, 2}, floor: 0.05}
	if k.err(0) != 0.5 || k.typical() != 0.1 || k.worst() != 0.5 || k.quantile(0) != 0.02 {
		t.Errorf("errors %g, %g, %g, %g", k.err(0), k.typical(), k.worst(), k.quantile(0))
	}
	k.floor = 2
	if k.worst() != 0 || k.typical() != 0.1 {
		t.Errorf("below the floor: worst %g, typical %g", k.worst(), k.typical())
	}
	if (check{residue: []float64{0.01, 0.01, 50}, unit: []float64{1, 1, 1}}).usable() {
		t.Error("a block that is wildly off is usable")
	}
	if !(check{residue: []float64{0.01, 0.01, 0.01}, unit: []float64{1, 1, 1}}).usable() {
		t.Error("small errors are not usable")
	}
}

// largest is the size of the largest block.
func TestLargest(t *testing.T) {
	if n := largest([][]int{{0, 3, 4}, {1}, {2}}); n != 3 {
		t.Errorf("%d, want 3", n)
	}
}
