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

// value returns the value of the formula.
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

// literal returns the number that a token is.
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
