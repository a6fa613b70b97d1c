package experiment

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
)

// A Budget is a number of queries as a formula in the dimension d, "1000*d" for example: of
// numbers, d, + - * / ^ and parentheses. Its value is rounded down.
type Budget string

// longestFormula is the most bytes of a formula, so that its parentheses cannot be too deep.
const longestFormula = 200

// At returns the budget in d dimensions. It is exact, except for powers that are not whole.
func (b Budget) At(d int) (int, error) {
	v, err := b.value(d)
	if err != nil {
		return 0, objective.BadOption("Budget", "%q is not a formula for a number of queries: %v", short(string(b)), err)
	}
	n := new(big.Int).Quo(v.Num(), v.Denom())
	switch {
	case v.Sign() < 0, n.Sign() == 0:
		return 0, objective.BadOption("Budget", "%s gives no query in %d dimensions, must be at least 1", b, d)
	case !n.IsInt64() || n.Int64() > math.MaxInt:
		return 0, objective.BadOption("Budget", "%s gives more than %d queries in %d dimensions", b, math.MaxInt, d)
	}
	return int(n.Int64()), nil
}

func (b Budget) value(d int) (*big.Rat, error) {
	tokens, err := b.tokens()
	if err != nil {
		return nil, err
	}
	f := &formula{tokens: tokens, d: d}
	v, err := f.read(0)
	if err == nil && f.at < len(tokens) {
		err = f.unexpected()
	}
	return v, err
}

// String returns the formula without blanks and with its numbers written in one way, so that
// 1e3 * d and 1000*d are the same. What is no formula stays as it is, and so does what would
// be too long for one.
func (b Budget) String() string {
	tokens, err := b.tokens()
	if err != nil {
		return string(b)
	}
	var out strings.Builder
	for _, t := range tokens {
		if v, err := literal(t); err == nil && v.IsInt() {
			t = v.Num().String()
		}
		out.WriteString(t)
	}
	if out.Len() > longestFormula {
		return string(b)
	}
	return out.String()
}

// short cuts a text that is too long for an error.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// lexeme is a sign, a number such as 2.5e4, or a name. Blanks are none of them.
var lexeme = regexp.MustCompile(`[-+*/^()]|[0-9.]+([eE][-+]?[0-9]+)?|[^-+*/^()0-9.\s\v\x{85}\pZ][^-+*/^()0-9. \t]*`)

// tokens cuts the formula into numbers, names and signs.
func (b Budget) tokens() (all []string, err error) {
	if len(b) > longestFormula {
		return nil, fmt.Errorf("it is longer than %d characters", longestFormula)
	}
	return lexeme.FindAllString(strings.TrimSpace(string(b)), -1), nil
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

var errTooLarge = errors.New("its numbers are too large")

func literal(token string) (*big.Rat, error) {
	v, err := strconv.ParseFloat(token, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (v > 1e300 || v < 1e-300 && strings.ContainsAny(token, "eE")) {
		return nil, errTooLarge // before it is written out
	}
	exact, ok := new(big.Rat).SetString(token)
	if err != nil || !ok || !digit(token[0]) && token[0] != '.' {
		return nil, fmt.Errorf("%q is not a number", token)
	}
	return exact, nil
}

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
