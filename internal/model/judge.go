package model

// judge asks splits, as few as it takes, and reports whether the verdict is final.
func (e *search) judge(need float64, ended bool) (bool, error) {
	if e.bowl && need <= 1 && e.request.Certify != nil {
		return e.certify()
	}
	p := splits{s: e.s, theta: e.theta}
	for n := fewSplits; ; n = someSplits {
		if err := p.more(e.frame, singles(e.m), n); err != nil {
			return true, err
		}
		c, asked := p.coupling(), len(p.four)
		if plain := (splits{s: e.s, four: p.four}); !e.theta.Identity() && plain.coupling().mid < min(2*c.mid, e.separates()) { // it is no map
			e.theta, p.theta, c = Theta{}, Theta{}, plain.coupling()
		}
		e.coupled = c
		if e.request.Certify != nil && (need <= 1 || len(e.looks) == 0) && c.mid < e.separates() && e.believed() {
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
		if need > 1 && !ended && len(e.looks) > 0 || need > 1 && c.mid > usable && !ended { // a yes would not be believed
			break
		}
		if asked >= enoughSplits && c.loud < drowned {
			break
		}
	}
	return e.decide(&p, need, ended), nil
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
	p := e.parabola(e.looks[0])
	return p != nil && e.coupled.hi < usable*length(p.fine(Theta{}))
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
		e.tilted()
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

// tilted begins again where rows are not orthogonal.
func (e *search) tilted() {
	e.restarts++
	e.again()
}

// decide reaches the verdict that splits allow, and reports whether it is final.
func (e *search) decide(p *splits, need float64, ended bool) bool {
	c := e.coupled
	if c.hi < e.separates() && (need <= 1 || len(e.looks) == 0) && e.believed() {
		e.verdict = Separable
		return true
	}
	if len(e.looks) >= 2*enoughLooks && c.lo > hopeless && !ended { // whatever looks say of each other
		e.verdict = Not
		return true
	}
	if e.upright && need <= 1 && !ended {
		e.tilted()
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
