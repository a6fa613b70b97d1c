package untwist_test

import (
	"reflect"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// What a run says of itself on the way leads to what it says at the end, and asking for it
// changes nothing.
func TestSoFar(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	start := objective.Cube(8, -5, 5)
	start.Hi[0] = 7 // so that the user's coordinates are not the scaled ones
	o := untwist.Options{Start: start, Budget: 20_000, Seed: 3}
	want, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	var seen []untwist.Result
	o.Progress = func(p untwist.Progress) {
		r := p.SoFar()
		if r.Queries != p.Queries || r.Value != p.Best || r.Status != objective.Running || r.Stages[len(r.Stages)-1].Name != p.Stage {
			t.Errorf("%d queries, %v, %v, but so far %d, %v, %v", p.Queries, p.Best, p.Stage, r.Queries, r.Value, r.Stages)
		}
		seen = append(seen, r)
	}
	got, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("who asks how it goes gets another result")
	}
	if seen[0].Structure != nil {
		t.Error("the first query has told what f is like")
	}
	last := seen[len(seen)-1]
	if before := seen[len(seen)-2]; before.Structure != last.Structure {
		t.Error("nothing new was learnt, and the structure is another")
	}
	if s := last.Structure; s == nil || s.Frame != got.Structure.Frame || !reflect.DeepEqual(s.Blocks, got.Structure.Blocks) || s.Certificate.Verdict != got.Structure.Certificate.Verdict {
		t.Errorf("the last batch knows %v, the result %v", s, got.Structure)
	}
	if !reflect.DeepEqual(last.Curve, got.Curve) {
		t.Errorf("the last curve is\n%v, that of the result\n%v", last.Curve, got.Curve)
	}
}
