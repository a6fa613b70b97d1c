package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
)

// judge asks splits, as few as it takes, and reports whether the verdict is final.
func (e *search) judge(need float64, ended bool) (bool, error) {
	if e.bowl && need <= 1 {
		return e.certify()
	}
	p := splits{s: e.s, theta: e.theta, part: middle}
	for n := fewSplits; ; n = someSplits {
		if err := p.more(e.frame, singles(e.m), n); err != nil {
			return true, err
		}
		c, asked := p.coupling(), len(p.four)
		if plain := (splits{s: e.s, four: p.four}); !e.theta.Identity() && plain.coupling().mid < min(2*c.mid, e.separates()) { // it is no map
			e.theta, p.theta, c = Theta{}, Theta{}, plain.coupling()
		}
		e.coupled = c
		if (need <= 1 || len(e.looks) == 0) && c.mid < e.separates() && e.believed() {
			return e.certify()
		}
		if len(e.looks) == 1 && !e.found && !ended && e.mayBeOrthogonal() {
			e.upright, e.known = true, e.known.plus(e.orthogonal())
			e.uncertain(e.known)
			return false, e.follows()
		}
		if asked >= enoughSplits && c.hi < e.separates() || c.lo > e.separates() || asked >= mostSplits {
			break
		}
		if need > 1 && !ended && (len(e.looks) > 0 || c.mid > usable) { // a yes would not be believed
			break
		}
		if asked >= enoughSplits && c.loud < drowned {
			break
		}
	}
	return e.decide(need, ended), nil
}

// believed reports whether small couplings can be believed: one look fits quadratics only, of which no coupling is
// left but noise, and the error of the look.
func (e *search) believed() bool {
	return len(e.looks) != 1 || e.coupled.loud > drowned || e.coupled.mid < max(asQuadratic, significant*e.told)
}

// mayBeOrthogonal reports whether rows may be orthogonal: along all eigenvectors of the first look f is curved, and splits along
// them leave little. It is held against what no quadratic explains, as a quadratic separates in many frames. It is asked once.
func (e *search) mayBeOrthogonal() bool {
	if !e.clear || e.coupled.hi > usable || quantile(e.errors(), 1) > usable || e.restarts > 0 {
		return false
	}
	return e.coupled.hi < usable*length(e.parabola(e.looks[0]).fine(Theta{}))
}

// asQuadratic is the coupling up to which f may be a quadratic.
const asQuadratic = 4e-5

// stricter is by how much less errors may be after a frame has failed.
const stricter = 3

// separates returns the coupling up to which a frame separates f.
func (e *search) separates() float64 { return e.rough * separates }

// certify has the frame certified, and reports whether the verdict is final.
func (e *search) certify() (bool, error) {
	ok, coupling, err := e.request.Certify(e.result())
	e.coupled = estimate{coupling, coupling, coupling, 0}
	switch {
	case err != nil:
		return true, err
	case e.upright && !(ok && coupling < separates) && !e.ended(): // nothing else is known of angles
		e.again()
		return false, nil
	case ok:
		e.verdict = Separable
	case len(e.looks) <= fitAnything || e.ended():
		return e.ended(), nil
	case e.goal > e.rough*finest:
		e.goal /= stricter
		return false, nil
	case coupling <= e.separates(): // what is wrong is something else
		e.verdict = Unknown
	case coupling < prior:
		e.verdict = Nearly
	default:
		e.verdict = Not
	}
	return true, nil
}

// decide reaches the verdict that splits allow, and reports whether it is final.
func (e *search) decide(need float64, ended bool) bool {
	c := e.coupled
	if len(e.looks) >= 2*enoughLooks && c.lo > hopeless && !ended { // whatever looks say of each other
		e.verdict = Not
		return true
	}
	if e.upright && need <= 1 && !ended { // rows are not orthogonal
		e.again()
	}
	if !ended && (need > 1 || len(e.looks) <= fitAnything) {
		return false
	}
	if e.goal > e.rough*finest && e.coupling() == 0 && c.mid < prior && !ended { // looks know of no coupling
		e.goal /= stricter
		return false
	}
	switch {
	case c.lo <= e.separates() || len(e.looks) <= fitAnything || need > 1 && e.coupling() == 0: // or what looks have left open
		e.verdict = Unknown
	case c.mid < prior && median(e.errors()) < usable:
		e.verdict = Nearly
	default:
		e.verdict = Not
	}
	return true
}

// splits are mixed differences M over the whole middle of the box, for random halves of the
// components, or of blocks of them, held against single differences: after ψ, for x and another point
// z = x+a+b with a along one half and b along the other,
//
//	M = f(z) − f(x+a) − f(x+b) + f(x).
type splits struct {
	s     *sampler
	theta Theta
	part  float64         // of the box, from which points are drawn
	four  []outer.Corners // f at x, x+a, x+b and z, finite
}

// corners is how many queries a split takes.
const corners = len(outer.Corners{})

const (
	// separates is the coupling up to which a frame separates f.
	separates = 4e-3
	// fewSplits are enough to say no, someSplits are asked at a time, enoughSplits to say yes, and
	// no more than mostSplits are asked.
	fewSplits, someSplits, enoughSplits, mostSplits = 4, 16, fewSplits + someSplits, 80
)

// split returns the coupling of n splits of blocks in the frame so far, of so much of the box.
func (e *search) split(blocks [][]int, n int, part float64) (estimate, error) {
	p := splits{s: e.s, theta: e.theta, part: part}
	err := p.more(e.frame, blocks, n)
	return p.coupling(), err
}

// more asks for n more splits.
func (p *splits) more(f *Frame, blocks [][]int, n int) error {
	s := p.s
	var points [][]float64
	for range n {
		x, err := s.safe(p.part)
		if err != nil {
			return err
		}
		z, err := s.safe(p.part)
		if err != nil {
			return err
		}
		step := beside(z, -1, x)
		a := make([]float64, s.dim())
		for _, i := range half(s, blocks) {
			kernel.AddScaled(a, kernel.Dot(f.W.RawRowView(i), step), f.U.RawRowView(i))
		}
		b := beside(step, -1, a)
		part := min(s.reach(x, a, 1), s.reach(x, b, 1), s.reach(x, step, 1)) // to stay within the bounds
		for i := range step {
			a[i] *= part
			z[i] = x[i] + float64(part*step[i])
		}
		points = append(points, x, beside(x, 1, a), beside(z, -1, a), z)
	}
	v, err := s.at(points)
	if err != nil {
		return err
	}
	for k := range n {
		four := outer.Corners(v[corners*k : corners*(k+1)])
		if kernel.Finite((four[3] - four[1]) - (four[2] - four[0])) {
			p.four = append(p.four, four)
		}
	}
	return nil
}

// sums returns the means of M², of the squares of single differences, and of the variance of M by noise.
func (p *splits) sums(theta Theta) (mixed, single, noise float64) {
	n := float64(len(p.four))
	for _, four := range p.four {
		var g [4]float64
		for i, z := range four {
			var slope float64
			g[i], slope = theta.Of(z)
			noise += square(slope*p.s.noise(z)) / n
		}
		mixed += square((g[3]-g[1])-(g[2]-g[0])) / n
		single += (square(g[1]-g[0]) + square(g[2]-g[0])) / 2 / n
	}
	return mixed, single, noise
}

// An estimate is the coupling √(ΣM²/ΣD²) without what noise makes of it, with an interval of
// 95 %, and loud is the part of M² that is noise.
type estimate struct{ lo, mid, hi, loud float64 }

// coupling returns the coupling that the splits show.
func (p *splits) coupling() estimate {
	n := float64(len(p.four))
	if n == 0 {
		return estimate{0, math.Inf(1), math.Inf(1), 1}
	}
	m2, d2, v := p.sums(p.theta)
	more, sd := m2-v, float64(math.Sqrt(2/n)*max(m2, v))
	least := m2/(1+2*math.Sqrt(2/n)) - v // about n/χ² of 97.5 % with n degrees of freedom
	root := func(x float64) float64 { return math.Sqrt(max(0, x) / max(d2, tiny)) }
	return estimate{root(least), root(more), root(more + float64(2*sd)), v / max(m2, tiny)}
}
