package report

import "errors"

// A Distribution says which share of all (problem, target) pairs a method had solved after
// how many queries. Share[i] holds from Queries[i] on; both ascend.
type Distribution struct {
	Name    string
	Queries []float64 // divided by the dimension
	Share   []float64 // from 0 to 1
	End     float64   // where the budget ends, marked by a cross; what is beyond is simulated; 0: no mark
}

// Runtimes draws empirical runtime distributions together, as COCO does: the share of solved
// pairs over queries divided by the dimension, on a logarithmic scale.
func Runtimes(path, title string, all []Distribution) error {
	return errors.New("report: not drawn yet")
}
