package experiment

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A law is found again: of queries = 7 d^1.3 the exponent is 1.3, and with a scatter of 10 %
// it is in its interval, which is narrow.
func TestExponents(t *testing.T) {
	law := func(scatter float64) (all [][2][]float64) {
		for _, d := range []float64{10, 100, 1000} {
			var at [2][]float64
			for k := range 8 {
				q := 7 * math.Pow(d, 1.3) * math.Exp(scatter*math.Sin(float64(k)*d))
				at[0], at[1] = append(at[0], math.Log(d)), append(at[1], math.Log(q))
			}
			all = append(all, at)
		}
		return all
	}
	if p, low, high := exponent(law(0)); !(math.Abs(p-1.3) < 1e-9 && math.Abs(high-low) < 1e-9) {
		t.Errorf("p = %v (%v–%v), want 1.3", p, low, high)
	}
	if p, low, high := exponent(law(0.1)); !(low <= p && p <= high && low <= 1.3 && 1.3 <= high && high-low < 0.1 && high > low) {
		t.Errorf("p = %v (%v–%v), want 1.3 in a narrow interval", p, low, high)
	}
}

// A small sweep of the dimension is run, printed and drawn, with its exponents.
func TestScaling(t *testing.T) {
	s, err := Scaling(Extent{Problems: []string{"squared-norm"}, Runs: 2, Methods: []string{"anisotropic", "transformed"}}, []int{2, 3, 5})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	store, err := s.OpenStore(ctx, filepath.Join(dir, "scaling.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := s.Run(ctx, store, 2, nil); err != nil {
		t.Fatal(err)
	}
	table, err := s.Tabulate(ctx, store)
	if err != nil || table.Done != 12 || table.Total != 12 {
		t.Fatalf("%d of %d runs, error %v", table.Done, table.Total, err)
	}
	text := table.Text()
	for _, want := range []string{"d = 2, 3, 5, mix", "exponents p of d^p", "anisotropic on g", "transformed on f", "2, 3, 5"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "too few") || strings.Contains(text, "isotropic on g 5000") {
		t.Errorf("not fitted:\n%s", text)
	}
	if files, err := table.Draw(dir); err != nil || len(files) != 2 {
		t.Errorf("pictures %v, error %v", files, err)
	}
	if _, err := Scaling(Extent{Methods: []string{"loud"}}, nil); err == nil {
		t.Error("a method that is not there is accepted")
	}
	if _, err := Scaling(Extent{}, []int{1}); err == nil {
		t.Error("one dimension is accepted")
	}
}
