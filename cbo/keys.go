package cbo

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/lists"
	"gonum.org/v1/gonum/mat"
)

// A key is a setting that can be written as KEY=VALUE.
type key struct {
	name, value, help string
	set               func(c *Config, value string) error
}

// keys are in the order in which they are applied: those of a whole method come before the
// single settings, which may change them, and what is around a noise comes after the noise.
var keys = []key{
	{"hopping", "V", "consensus hopping with this radius, in half-widths of the start box", above(0, func(c *Config, v float64) { *c = c.Hopping(v) })},
	{"sampling", "V", "consensus-based sampling of exp(−f), with this α", above(0, func(c *Config, v float64) { *c = c.Sampling(v) })},
	{"polarise", "V", "particles see those within about this κ, in half-widths of the start box, so that several minimisers are found; α does not grow then", above(0, func(c *Config, v float64) {
		c.Sight = Polarised{v}
		if g, grows := c.Alpha.(Geometric); grows {
			c.Alpha = Constant(g.Start)
		}
	})},
	{"growth", "V", "factor by which α grows in each step, up to 1e5 (default 1.005); 1 leaves it as it is", number("of at least 1", func(v float64) bool { return v >= 1 }, func(c *Config, v float64) {
		start := 100.0
		if c.Alpha != nil {
			start = c.Alpha.At(0)
		}
		c.Alpha = Geometric{Start: start, Factor: v, Limit: max(start, 1e5)}
	})},
	{"lambda", "V", "strength λ of the drift", above(0, func(c *Config, v float64) { c.Lambda = v })},
	{"ess", "V", "the α with which this share of the particles counts, below 1", fraction(func(c *Config, v float64) { c.Alpha = EffectiveSize{v} })},
	{"noise", "WORD", "anisotropic, isotropic, additive or covariance", oneOf(map[string]func(*Config){
		"anisotropic": func(c *Config) { c.Noise = Anisotropic{} }, "isotropic": func(c *Config) { c.Noise = Isotropic{} },
		"additive": func(c *Config) { c.Noise = Additive{} }, "covariance": func(c *Config) { c.Noise = Covariance{} },
	})},
	{"truncate", "V", "noise does not grow further than this from the consensus, in half-widths of the start box", above(0, func(c *Config, v float64) { c.Noise = Truncated{c.Noise, v} })},
	{"inertia", "V", "mass m of the particles, below 1", fraction(func(c *Config, v float64) { c.Momentum = Inertia{v} })},
	{"adam", "V", "adaptive momentum with this β₁, 0.9 for example", fraction(func(c *Config, v float64) { c.Momentum = Adam{Beta1: v} })},
	{"domain", "WORD", "box (that of the start), simplex or sphere: particles are projected onto it, in the units of f", oneOf(map[string]func(*Config){
		"box": func(c *Config) { c.Domain = Clamp{} }, "simplex": func(c *Config) { c.Domain = Scaled{Of: Simplex{}} },
		"sphere": func(c *Config) { c.Domain = Scaled{Of: Sphere{1}} },
	})},
	{"equalities", "ROWS", "particles are projected onto Ax = b, in the units of f: numbers with blanks between them, b last, rows with ; between them", func(c *Config, given string) error {
		set, err := readEqualities(given)
		c.Domain = Scaled{Of: set}
		return err
	}},
	{"mirror", "WORD", "simplex, sphere, entropy or barrier: the mirror map that keeps particles in a set", oneOf(map[string]func(*Config){
		"simplex": func(c *Config) { c.Mirror = Onto{Scaled{Of: Simplex{}}} }, "sphere": func(c *Config) { c.Mirror = Onto{Scaled{Of: Sphere{1}}} },
		"entropy": func(c *Config) { c.Mirror = Entropy{} }, "barrier": func(c *Config) { c.Mirror = Barrier{} },
	})},
	{"memory", "V", "particles are pulled to their best with this λ_m, 0.4 for example", above(0, func(c *Config, v float64) { c.Memory = Remember{Lambda: v} })},
	{"correction", "WORD", "full, heaviside or regularised", oneOf(map[string]func(*Config){
		"full": func(c *Config) { c.Correction = Full{} }, "heaviside": func(c *Config) { c.Correction = Heaviside{} },
		"regularised": func(c *Config) { c.Correction = Regularised{} },
	})},
	{"batch", "N", "how many particles move in a step", whole(1, func(c *Config, n int) { c.Batch = n })},
	{"resample", "N", "shake the particles after so many steps in vain", whole(1, func(c *Config, n int) { c.Resample.Wait = n })},
	{"restarts", "N", "how many runs may follow one that has converged", whole(0, func(c *Config, n int) { c.Restarts = n })},
	{"steps", "N", "the most steps of one run", whole(1, func(c *Config, n int) { c.Stop.Steps = n })},
	{"stall", "N", "a run ends after so many steps in vain", whole(1, func(c *Config, n int) { c.Stop.Stall = n })},
}

// ErrKey is why With refuses a key that it does not know.
var ErrKey = errors.New("unknown key")

// Keys describes the settings that With takes, a line each.
func Keys() []string {
	return lists.Map(keys, func(k key) string { return fmt.Sprintf("%s=%s: %s", k.name, k.value, k.help) })
}

// With returns c with settings that are written as KEY=VALUE, in any order. The error names
// the one that is bad. Particles, Tau, Sigma and Alpha, which have flags of their own, are as
// they are in c, unless a whole method has its own.
func (c Config) With(settings ...string) (Config, error) {
	given := map[string]string{}
	for _, s := range settings {
		name, value, ok := strings.Cut(s, "=")
		_, twice := given[name]
		switch {
		case !ok:
			return c, fmt.Errorf("%q is not KEY=VALUE", s)
		case !slices.ContainsFunc(keys, func(k key) bool { return k.name == name }):
			return c, fmt.Errorf("%w %q: must be one of %s", ErrKey, name, strings.Join(names(), ", "))
		case twice:
			return c, fmt.Errorf("%s is given twice", name)
		}
		given[name] = value
	}
	if err := conflict(given); err != nil {
		return c, err
	}
	for _, k := range keys {
		if value, ok := given[k.name]; ok {
			if err := k.set(&c, value); err != nil {
				return c, fmt.Errorf("%s=%s: %w", k.name, value, err)
			}
		}
	}
	return c, nil
}

// exclusive are settings of which one would undo the other, or that have no meaning together.
var exclusive = [][2]string{
	{"hopping", "sampling"}, {"growth", "ess"}, {"inertia", "adam"}, {"domain", "equalities"}, {"domain", "mirror"}, {"equalities", "mirror"},
	{"noise=covariance", "truncate"}, {"sampling", "truncate"}, {"noise=covariance", "polarise"}, {"sampling", "polarise"},
	{"correction=heaviside", "polarise"}, {"correction=regularised", "polarise"},
}

func conflict(given map[string]string) error {
	has := func(setting string) bool {
		name, value, one := strings.Cut(setting, "=")
		v, ok := given[name]
		return ok && (!one || v == value)
	}
	for _, pair := range exclusive {
		if has(pair[0]) && has(pair[1]) {
			return fmt.Errorf("%s and %s cannot be given together", pair[0], pair[1])
		}
	}
	return nil
}

func names() []string { return lists.Map(keys, func(k key) string { return k.name }) }

// number reads a finite number that ok allows.
func number(must string, ok func(float64) bool, set func(*Config, float64)) func(*Config, string) error {
	return func(c *Config, given string) error {
		v, err := strconv.ParseFloat(given, 64)
		if err != nil || math.IsInf(v, 0) || !ok(v) {
			return fmt.Errorf("must be a number %s", must)
		}
		set(c, v)
		return nil
	}
}

func above(least float64, set func(*Config, float64)) func(*Config, string) error {
	return number(fmt.Sprintf("above %v", least), func(v float64) bool { return v > least }, set)
}

func fraction(set func(*Config, float64)) func(*Config, string) error {
	return number("above 0 and below 1", func(v float64) bool { return v > 0 && v < 1 }, set)
}

func whole(least int, set func(*Config, int)) func(*Config, string) error {
	return func(c *Config, given string) error {
		n, err := strconv.Atoi(given)
		if err != nil || n < least {
			return fmt.Errorf("must be a whole number of at least %d", least)
		}
		set(c, n)
		return nil
	}
}

// oneOf reads a word.
func oneOf(words map[string]func(*Config)) func(*Config, string) error {
	return func(c *Config, given string) error {
		set, ok := words[given]
		if !ok {
			return fmt.Errorf("must be one of %s", strings.Join(slices.Sorted(maps.Keys(words)), ", "))
		}
		set(c)
		return nil
	}
}

// readEqualities reads "a₁ … a_d b; …".
func readEqualities(given string) (Equalities, error) {
	var a, b []float64
	width := 0
	for i, row := range strings.Split(given, ";") {
		words := strings.Fields(row)
		if i == 0 {
			width = len(words)
		}
		if len(words) < 2 || len(words) != width {
			return Equalities{}, fmt.Errorf("row %d has %d numbers: all must have the same number, two or more", i+1, len(words))
		}
		for j, word := range words {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return Equalities{}, fmt.Errorf("%q is not a number", word)
			}
			if j < width-1 {
				a = append(a, v)
			} else {
				b = append(b, v)
			}
		}
	}
	return NewEqualities(mat.NewDense(len(b), width-1, a), b)
}
