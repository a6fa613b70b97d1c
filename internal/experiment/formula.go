package experiment

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// A formula is one that is being read.
type formula struct {
	tokens []string
	at     int
	d      int
}

// next takes the next token if it is one of these.
func (f *formula) next(signs ...string) string {
	for _, s := range signs {
		if f.at < len(f.tokens) && f.tokens[f.at] == s {
			f.at++
			return s
		}
	}
	return ""
}

// unexpected says what stands where something else should.
func (f *formula) unexpected() error {
	if f.at >= len(f.tokens) {
		return errors.New("it ends too early")
	}
	t := f.tokens[f.at]
	if f.at > 0 && (t == "d" || t == "(" || digit(t[0])) {
		return fmt.Errorf("there is no sign between %q and %q", f.tokens[f.at-1], t)
	}
	if strings.Contains("+-*/^()", t) {
		return fmt.Errorf("%q is not expected there", t)
	}
	return fmt.Errorf("%q is neither a number nor d", t)
}

// sum reads terms with + and - between them, and product factors with * and /.
func (f *formula) sum() (*big.Rat, error)     { return f.chain(f.product, "+", "-") }
func (f *formula) product() (*big.Rat, error) { return f.chain(f.factor, "*", "/") }

var errZero = errors.New("it divides by 0")

// chain reads parts with signs between them.
func (f *formula) chain(part func() (*big.Rat, error), signs ...string) (*big.Rat, error) {
	v, err := part()
	for err == nil {
		sign := f.next(signs...)
		if sign == "" {
			return v, nil
		}
		var w *big.Rat
		if w, err = part(); err != nil {
			return nil, err
		}
		switch sign {
		case "+":
			v.Add(v, w)
		case "-":
			v.Sub(v, w)
		case "*":
			v.Mul(v, w)
		default:
			if w.Sign() == 0 {
				return nil, errZero
			}
			v.Quo(v, w)
		}
		v, err = within(v)
	}
	return nil, err
}

// factor reads a power with signs before it: -d^2 is -(d^2).
func (f *formula) factor() (*big.Rat, error) {
	if sign := f.next("+", "-"); sign != "" {
		v, err := f.factor()
		if err == nil && sign == "-" {
			v.Neg(v)
		}
		return v, err
	}
	v, err := f.atom()
	if err != nil || f.next("^") == "" {
		return v, err
	}
	n, err := f.factor() // 2^3^2 is 2^(3^2)
	if err != nil {
		return nil, err
	}
	return power(v, n)
}

// atom reads a number, d, or a sum in parentheses.
func (f *formula) atom() (*big.Rat, error) {
	if f.next("d") != "" {
		return new(big.Rat).SetInt64(int64(f.d)), nil
	}
	if f.next("(") != "" {
		v, err := f.sum()
		if err == nil && f.next(")") == "" {
			if f.at == len(f.tokens) {
				return nil, errors.New(`a ")" is missing`)
			}
			return nil, f.unexpected()
		}
		return v, err
	}
	if f.at < len(f.tokens) && (digit(f.tokens[f.at][0]) || f.tokens[f.at][0] == '.') {
		f.at++
		return literal(f.tokens[f.at-1])
	}
	return nil, f.unexpected()
}

// within returns a number, or an error if it has too many digits.
func within(v *big.Rat) (*big.Rat, error) {
	if v.Num().BitLen() > 1<<12 || v.Denom().BitLen() > 1<<12 {
		return nil, errTooLarge
	}
	return v, nil
}

// power returns vⁿ.
func power(v, n *big.Rat) (*big.Rat, error) {
	if v.Sign() == 0 && n.Sign() < 0 {
		return nil, errZero
	}
	if !n.IsInt() {
		x, _ := v.Float64()
		y, _ := n.Float64()
		p := math.Pow(x, y)
		if math.IsNaN(p) {
			return nil, errors.New("it has a root of a negative number")
		}
		if math.IsInf(p, 0) {
			return nil, errTooLarge
		}
		return new(big.Rat).SetFloat64(p), nil
	}
	times := new(big.Int).Abs(n.Num())
	if unit := v.IsInt() && v.Num().BitLen() <= 1; unit && times.BitLen() > 1 { // 0, 1 or -1
		times.SetInt64(2 + int64(times.Bit(0)))
	} else if !unit && (times.BitLen() > 12 || int(times.Int64())*max(v.Num().BitLen(), v.Denom().BitLen()) > 1<<13) {
		return nil, errTooLarge
	}
	p := new(big.Rat).SetFrac(new(big.Int).Exp(v.Num(), times, nil), new(big.Int).Exp(v.Denom(), times, nil))
	if n.Sign() < 0 {
		p.Inv(p)
	}
	return within(p)
}
