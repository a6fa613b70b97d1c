package asktell

// A Want is a point of which a talk wants the value.
type Want struct {
	Talk  int // which of them
	Point []float64
}

// Wanted returns what talks that advance together want to know: the points of all of
// them, in order; none when all have ended. The error is that with which one has ended.
func Wanted(talks []*Talk) ([]Want, error) {
	var all []Want
	for k, t := range talks {
		points := t.Ask()
		if points == nil {
			if t.err != nil {
				return nil, t.err
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

// TellAll answers Wanted, with a value for each point.
func TellAll(talks []*Talk, values []float64) {
	for _, t := range talks {
		if points := t.Ask(); points != nil {
			n, _ := points.Dims()
			t.Tell(values[:n], nil)
			values = values[n:]
		}
	}
}
