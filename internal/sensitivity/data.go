package sensitivity

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A view shows the box as z in [-1, 1]^d, and component j as t_j = ⟨v_j, z⟩ with rows v_j that
// make t_j a number of standard deviations: for z uniform in the cube, Var ⟨v, z⟩ = ‖v‖²/3.
type view struct {
	v      *mat.Dense // m×d
	middle []float64  // of the box
	half   []float64
	reach  []float64 // the largest |t_j| that counts
}

// farthest is how many standard deviations of a component count: beyond it there is less than
// one point of a hundred thousand.
const farthest = 4.2

func newView(r Run) view {
	m, d := r.Frame.Components(), r.Frame.Dim()
	w := view{v: mat.NewDense(m, d, nil)}
	for k := range d {
		half := float64((r.Start.Hi[k] - r.Start.Lo[k]) / 2)
		w.half, w.middle = append(w.half, half), append(w.middle, r.Start.Lo[k]+half)
	}
	for j := range m {
		row := w.v.RawRowView(j)
		for k, c := range r.Frame.Matrix().RawRowView(j) {
			row[k] = c * w.half[k]
		}
		length := math.Sqrt(kernel.Dot(row, row) / 3)
		reach := 0.0
		for k := range row {
			row[k] /= length
			reach += math.Abs(row[k])
		}
		w.reach = append(w.reach, min(reach, farthest))
	}
	return w
}

// place returns the t of a point in search coordinates, and whether it counts: none of the t
// is beyond its reach.
func (w view) place(x []float64) (t []float64, counts, inside bool) {
	z := make([]float64, len(x))
	inside = true
	for k, v := range x {
		z[k] = (v - w.middle[k]) / w.half[k]
		inside = inside && math.Abs(z[k]) <= 1+1e-9
	}
	t = make([]float64, len(w.reach))
	counts = true
	for j := range t {
		t[j] = kernel.Dot(w.v.RawRowView(j), z)
		counts = counts && math.Abs(t[j]) <= w.reach[j]*(1+1e-9)
	}
	return t, counts, inside
}

// A datum is a query in the coordinates of a view.
type datum struct {
	t      []float64
	value  float64
	inside bool // the box
	place  int  // which group of queries near each other it belongs to
}

// A trace is f along one component, up to a constant.
type trace struct {
	t, value []float64
	rounding float64 // how exact the values may be at best
}

// rounding is how exact a value is that is computed with a few steps.
const rounding = 1e-14

// data is what is known of f.
type data struct {
	points []datum
	traces []trace // one for each component, empty if there is none
	spread float64 // of the values in the box
	middle float64 // their median, which was taken off the points
	noise  float64 // the standard deviation that values are known to have
	in     int     // queries that count and lie in the box
	// least and most are the smallest and the largest value of f in the box, before a map.
	least, most float64
}

// gather takes what a run has seen and chooses most points of it.
func gather(r Run, w view, most int) data {
	out := data{least: math.Inf(1), most: math.Inf(-1)}
	r.Seen.each(func(point []float64, value float64) {
		t, counts, inside := w.place(r.Space.Inward(point))
		if !counts || slices.ContainsFunc(t, math.IsNaN) {
			return
		}
		if inside {
			out.in++
			out.least, out.most = min(out.least, value), max(out.most, value)
		}
		if r.Map != nil {
			value = r.Map.Of(value)
		}
		out.points = append(out.points, datum{t: t, value: value, inside: inside})
	})
	out.traces = make([]trace, len(w.reach))
	if r.Map == nil { // a profile after an outer map is one of f, which does not separate
		for _, p := range r.Profiles {
			out.traces[p.Component] = w.trace(r, p.Component, p.Y, p.Value)
		}
	}
	out.points = scattered(everyNth(out.points, candidates/len(w.reach)), most)
	var at []float64
	for _, p := range out.points {
		if p.inside {
			at = append(at, p.value)
		}
	}
	if len(at) == 0 {
		return out
	}
	slices.Sort(at)
	out.middle = at[len(at)/2]
	out.spread = (at[len(at)*9/10] - at[len(at)/10]) / 2.56
	for k := range out.points {
		out.points[k].value -= out.middle
	}
	out.exact()
	return out
}

// exact forgets what is not exact enough because values are large, far from the box.
func (d *data) exact() {
	most := finest * d.spread
	d.points = slices.DeleteFunc(d.points, func(p datum) bool { return rounding*math.Abs(p.value) > most })
	for j, t := range d.traces {
		if t.rounding > most {
			d.traces[j] = trace{}
		}
	}
}

// trace returns a profile in units of the view. With x = middle + half·z,
// ⟨w, x⟩ = ⟨w, middle⟩ + length·t.
func (w view) trace(r Run, j int, y, value []float64) trace {
	row := r.Frame.Matrix().RawRowView(j)
	length := 0.0
	for k, c := range row {
		length += float64(c * w.half[k] * c * w.half[k])
	}
	length = math.Sqrt(length / 3)
	from := kernel.Dot(row, w.middle)
	var out trace
	for k := range y {
		if t := (y[k] - from) / length; math.Abs(t) <= w.reach[j]*(1+1e-9) && kernel.Finite(value[k]) {
			out.t, out.value = append(out.t, t), append(out.value, value[k])
		}
	}
	if len(out.value) == 0 {
		return out
	}
	low := slices.Min(out.value)
	out.rounding = rounding * max(math.Abs(low), math.Abs(slices.Max(out.value)))
	for k := range out.value {
		out.value[k] -= low
	}
	return out
}

// candidates is from how many points those that are fitted are chosen, times components.
const candidates = 400_000

// everyNth returns every n-th point, so that there are at most most.
func everyNth(all []datum, most int) []datum {
	n := (len(all) + most - 1) / most
	if n <= 1 {
		return all
	}
	var out []datum
	for k := 0; k < len(all); k += n {
		out = append(out, all[k])
	}
	return out
}

// scattered chooses at most most points that are far from each other: each is the one that is
// farthest from all that were chosen before. Those in the box come first, as long as they are
// not near to others, and leave room for a quarter of those that are not.
func scattered(all []datum, most int) []datum {
	var out []datum
	distance := make([]float64, len(all))
	for k := range distance {
		distance[k] = math.Inf(1)
	}
	for _, pass := range []struct {
		inside bool
		most   int
		near   float64 // points nearer to each other than that say the same
	}{{true, most * 3 / 4, 0.1}, {false, most, 0.02}} {
		for len(out) < pass.most {
			best := -1
			for k, d := range distance {
				if (best < 0 || d > distance[best]) && (all[k].inside || !pass.inside) {
					best = k
				}
			}
			if best < 0 || distance[best] < float64(pass.near*pass.near) {
				break
			}
			out = append(out, all[best])
			for k, p := range all {
				if distance[k] > 0 {
					distance[k] = min(distance[k], apart(p.t, all[best].t))
				}
			}
		}
	}
	return out
}

// apart returns the square of the distance.
func apart(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += float64((v - b[k]) * (v - b[k]))
	}
	return sum
}
