package experiment

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
)

// Formulas by hand, in 10 dimensions.
func TestBudgets(t *testing.T) {
	for formula, want := range map[string]int{
		"1": 1, "20000": 20000, "2e4": 20000, "2.5E+4": 25000, "1000*d": 10000, " 1e3 * d ": 10000, "d": 10, "d^2": 100, "500*d^2": 50000,
		"d^2*3 + 50*d": 800, "3*(d+1)^2": 363, "-d + 20": 10, "20-5-3": 12, "100/10/2": 5, "2^3^2": 512, "-d^2+101": 1, "(-d)^2": 100,
		"0.29*100": 29, "d/3": 3, "7/2": 3, "d^1.5": 31, "4^0.5": 2, "2^-1*8": 4, "1.5": 1, ".5*d": 5, "(((d)))": 10, "1^999999999999999": 1,
		"(-1)^99999999999999+2": 1, "9223372036854775807": math.MaxInt, "1e300/1e299": 10, "--d": 10, "0^0": 1,
	} {
		if got, err := Budget(formula).At(10); err != nil || got != want {
			t.Errorf("%s is %d, error %v; want %d", formula, got, err, want)
		}
	}
}

// Bad formulas, one line each.
func TestBadBudgets(t *testing.T) {
	for formula, text := range map[string]string{
		"": "it ends too early", "  ": "it ends too early", "many": `"many" is neither a number nor d`, "1000*x": `"x" is neither a number nor d`,
		"1000d": `there is no sign between "1000" and "d"`, "d d": `no sign between "d" and "d"`, "2(d)": `no sign between "2" and "("`,
		"1000*": "it ends too early", "(d": `a ")" is missing`, "d)": `")" is not expected there`, "*d": `"*" is not expected there`,
		"1.2.3": `"1.2.3" is not a number`, ".": `"." is not a number`, "d/0": "it divides by 0", "0^-1": "it divides by 0", "1e999": "too large", "1e-999": "too large",
		"9^9^9": "too large", "d^9999999999999999999999": "too large", "2^10000": "too large", "(-2)^0.5": "a root of a negative number",
		"1_000": `"_" is neither`, "0x10": `"x" is neither`, "1,000": `"," is neither`, "d²": `"d²" is neither a number nor d`, "dim": `"dim" is neither`, "1e400^0.5": "too large",
		strings.Repeat("(", 1000): "it is longer than 200 characters", "NaN": `"NaN" is neither`, "inf": `"inf" is neither`, "1\n2": "no sign between",
		"0": "gives no query in 10 dimensions, must be at least 1", "0.99": "gives no query", "d-10": "gives no query", "-5": "gives no query", "d-11.5": "gives no query",
		"1e19": "gives more than 9223372036854775807 queries in 10 dimensions", "9223372036854775808": "gives more than", "1e300*1e300": "gives more than",
	} {
		_, err := Budget(formula).At(10)
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != "Budget" || !strings.Contains(bad.Reason, text) || strings.Contains(bad.Reason, "\n") {
			t.Errorf("%q: %v, want %q", formula, err, text)
		}
	}
}

// Formulas that mean the same number in the same way have one text.
func TestBudgetText(t *testing.T) {
	for formula, want := range map[Budget]string{
		"1e3 * d": "1000*d", "1000*d": "1000*d", "2.50e2": "250", "0.5*d": "0.5*d", "1000x": "1000x", "1e999": "1e999", "3*( d+1 )^2": "3*(d+1)^2",
	} {
		if got := formula.String(); got != want {
			t.Errorf("%q is written %q, want %q", string(formula), got, want)
		}
	}
}

// naiveBudget evaluates a formula without powers as Go does it: go/parser reads it and
// go/constant computes, exactly.
func naiveBudget(formula string, d int) (v constant.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	tree, err := parser.ParseExpr(formula)
	if err != nil {
		return nil, err
	}
	var walk func(ast.Expr) constant.Value
	walk = func(e ast.Expr) constant.Value {
		switch e := e.(type) {
		case *ast.BasicLit:
			return constant.ToFloat(constant.MakeFromLiteral(e.Value, token.FLOAT, 0))
		case *ast.Ident:
			if e.Name != "d" {
				panic(e.Name)
			}
			return constant.ToFloat(constant.MakeInt64(int64(d)))
		case *ast.ParenExpr:
			return walk(e.X)
		case *ast.UnaryExpr:
			return constant.UnaryOp(e.Op, walk(e.X), 0)
		case *ast.BinaryExpr:
			return constant.BinaryOp(walk(e.X), e.Op, walk(e.Y))
		}
		panic("something else")
	}
	return walk(tree), nil
}

// Whatever a formula is: no panic, one line, the same as Go where Go knows it, and the same
// for its text.
func FuzzBudget(f *testing.F) {
	for _, s := range []string{"1000*d", "2e4+d/3", "-(d-20)*.5", "3*d^2", "((1", "1e99/7e98", "1e99/1e99", "1--2", "d*1.5e1-3/7"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, formula string, d int) {
		d = 1 + (d%10_000+10_000)%10_000
		got, err := Budget(formula).At(d)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || got != 0 {
				t.Fatalf("%q: %d, %q", formula, got, err)
			}
			return
		}
		again, err := Budget(Budget(formula).String()).At(d)
		if err != nil || again != got || got < 1 {
			t.Fatalf("%q is %d, and %q is %d, error %v", formula, got, Budget(formula).String(), again, err)
		}
		if strings.ContainsAny(formula, "^xXpP_'`\"") || strings.Contains(formula, "--") || strings.Contains(formula, "++") {
			return // not the same in Go
		}
		want, err := naiveBudget(formula, d)
		if err != nil || want.Kind() == constant.Unknown {
			return // 010 and 1e are numbers here or there only
		}
		floor := constant.BinaryOp(want, token.SUB, constant.MakeInt64(int64(got))) // in [0, 1)
		if constant.Compare(floor, token.LSS, constant.MakeInt64(0)) || !constant.Compare(floor, token.LSS, constant.MakeInt64(1)) {
			t.Fatalf("%q in %d dimensions is %d; Go says %v", formula, d, got, want)
		}
	})
}
