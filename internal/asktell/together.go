package asktell

import "fmt"

// A Want is a point of which a talk wants the value.
type Want struct {
	Talk  int // which of them, from 0
	Point []float64
}

// Wanted returns what talks that advance together want to know: the points of all of
// them, in order; none when all have ended. The error is that with which one has ended.
func Wanted(talks []*Talk) ([]Want, error) {
	var all []Want
	for k, t := range talks {
		points := t.Ask()
		if points == nil {
			if err := t.Err(); err != nil {
				return nil, err
			}
			continue
		}
		n, _ := points.Dims()
		for i := range n {
			all = append(all, Want{k, points.RawRowView(i)})
		}
	}
	return all, nil
}

// TellAll answers Wanted, with a value for each point. It panics if there are fewer or
// more.
func TellAll(talks []*Talk, values []float64) {
	told := 0
	for _, t := range talks {
		points := t.Ask()
		if points == nil {
			continue
		}
		n, _ := points.Dims()
		if told+n <= len(values) {
			t.Tell(values[told:told+n], nil)
		}
		told += n
	}
	if told != len(values) {
		panic(fmt.Sprintf("asktell: TellAll with %d values for %d points; give one for each", len(values), told))
	}
}
