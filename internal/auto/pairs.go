package auto

import "math"

// pairs are what was seen of one component beside x.
type pairs struct {
	h     float64 // their length, about
	n     int     // how many there are
	s2    float64 // Σh²
	s4    float64 // Σ(h²/2)²
	odd   float64 // Σ h (f₊ − f₋)/2
	even  float64 // Σ (h²/2) (f₊ + f₋)/2
	vOdd  float64 // the variance of odd, and of even
	vEven float64
	c     float64 // the curvature as it was found last; 0: not yet
	r     float64 // the scale, if it was not known; 0: not yet
}

// add takes notice of a pair. One at which f has failed says nothing. sigma is the standard
// deviation of a value.
func (p *pairs) add(h, up, down float64, sigma func(v float64) float64) {
	p.n++
	if math.IsInf(up, 0) || math.IsInf(down, 0) || !(h > 0) {
		return
	}
	half := float64(h * h / 2)
	p.s2 += float64(h * h)
	p.s4 += float64(half * half)
	p.odd += float64(h * (up - down) / 2)
	p.even += float64(half * (up + down) / 2)
	v := (square(sigma(up)) + square(sigma(down))) / 4
	p.vOdd += float64(h * h * v)
	p.vEven += float64(half * half * v)
}

func square(v float64) float64 { return float64(v * v) }

// parabola returns the slope and the curvature, and their variances. fx is f(x), and vx its
// variance.
func (p *pairs) parabola(fx, vx float64) (b, c, vb, vc float64) {
	b, vb = p.odd/p.s2, p.vOdd/square(p.s2)
	// Σ (h²/2)((f₊+f₋)/2 − f(x)) = c Σ(h²/2)²
	c = (p.even - float64(fx*p.s2/2)) / p.s4
	vc = (p.vEven + float64(vx*square(p.s2/2))) / square(p.s4)
	return b, c, vb, vc
}
