package experiment

import (
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/report/chart"
)

// By hand: a share holds from its number of queries on, the axis has a decade at least and six at
// most, and the largest share comes first.
func TestLinesOfRuntimes(t *testing.T) {
	l := runtimes("", []chart.Series{{Name: "a", X: []float64{2, 5, 5, 9}, Median: []float64{0.1, 0.2, 0.3, 0.4}}, {Name: "b", X: []float64{0.5, 8}, Median: []float64{0.5, 1}, End: 4}})
	b, a := l.Panels[0].Series[0], l.Panels[0].Series[1]
	if l.X.Lo != 0.5 || l.X.Hi != 9 || !slices.Equal(a.X, []float64{0.5, 2, 5, 5, 9, 9}) || !slices.Equal(a.Median, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.4}) ||
		!slices.Equal(b.X, []float64{0.5, 8, 9}) || !slices.Equal(b.Median, []float64{0.5, 1, 1}) {
		t.Errorf("%+v", l)
	}
	if l := runtimes("", []chart.Series{{Name: "a", X: []float64{1e-9, 5}, Median: []float64{0.5, 1}}}); l.X.Lo != 5e-6 || l.Panels[0].Series[0].Median[0] != 0.5 {
		t.Errorf("%+v", l)
	}
	if l := runtimes("", []chart.Series{{Name: "nothing"}}); l.X.Lo != 1 || l.X.Hi != 10 {
		t.Errorf("%+v", l)
	}
}
