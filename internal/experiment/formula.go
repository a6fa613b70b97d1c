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

// next takes the next token if it is this one.
func (f *formula) next(token string) bool {
	is := f.at < len(f.tokens) && f.tokens[f.at] == token
	if is {
		f.at++
	}
	return is
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

// bindings say how tightly signs between two numbers bind. A sign before a number binds as
// tightly as what follows a power: -d^2 is -(d^2), and 2^3^2 is 2^(3^2).
var bindings = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}

const signed = 3

// read reads numbers with signs between them that bind at least so tightly.
func (f *formula) read(least int) (*big.Rat, error) {
	v, err := f.operand()
	for err == nil && f.at < len(f.tokens) {
		sign := f.tokens[f.at]
		tight := bindings[sign]
		if tight == 0 || tight < least {
			break
		}
		f.at++
		var w *big.Rat
		if w, err = f.read(min(tight+1, signed)); err == nil {
			v, err = combined(v, sign, w)
		}
	}
	return v, err
}

// operand reads a number, d, or a formula in parentheses, with signs before it.
func (f *formula) operand() (*big.Rat, error) {
	switch {
	case f.next("+"):
		return f.read(signed)
	case f.next("-"):
		v, err := f.read(signed)
		if err == nil {
			v.Neg(v)
		}
		return v, err
	case f.next("d"):
		return new(big.Rat).SetInt64(int64(f.d)), nil
	case f.next("("):
		v, err := f.read(0)
		if err == nil && !f.next(")") {
			if err = f.unexpected(); f.at == len(f.tokens) {
				err = errors.New(`a ")" is missing`)
			}
		}
		return v, err
	case f.at < len(f.tokens) && (digit(f.tokens[f.at][0]) || f.tokens[f.at][0] == '.'):
		f.at++
		return literal(f.tokens[f.at-1])
	}
	return nil, f.unexpected()
}

var errZero = errors.New("it divides by 0")

// combined returns two numbers with a sign between them as one.
func combined(v *big.Rat, sign string, w *big.Rat) (*big.Rat, error) {
	switch sign {
	case "+":
		v.Add(v, w)
	case "-":
		v.Sub(v, w)
	case "*":
		v.Mul(v, w)
	case "^":
		return power(v, w)
	default:
		if w.Sign() == 0 {
			return nil, errZero
		}
		v.Quo(v, w)
	}
	return within(v)
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
