package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// severalFlags are the flags that say what an evaluation answers besides a value, and what is limited.
type severalFlags struct {
	answered
	outputs []string
}

func (f *severalFlags) register(flags *pflag.FlagSet) {
	flags.Var(count(&f.Residuals), "residuals", "an answer has so many residuals instead of a value: the sum of their squares is minimised")
	flags.StringArrayVar(&f.outputs, "output", nil, "an answer has this number too, and it may be limited: `NAME`, 'stress<=25', 'flow>=10', 'stress[10]<=25000' (stress1 … stress10); may be given several times, in order")
	flags.StringArrayVar(&f.Limits, "limit", nil, "a limit that is linear in the parameters, in their units, which no query violates: `'a + b <= 5'`, '2*p - q = 1'; may be given several times")
	toggle(flags, &f.Maximize, "maximize", "look for the greatest value")
}

// answered is what an evaluation of a subject answers besides a value, and what is limited, as the header
// of a journal has it, too.
type answered struct {
	Residuals int
	Outputs   []objective.Output // one for each number
	Limits    []string
	Maximize  bool
}

// reading says what the numbers of an answer are.
func (s answered) reading() query.Reading {
	return query.Reading{Residuals: s.Residuals, Outputs: s.Outputs}
}

// numbers returns how many numbers an answer has; 0: a value alone.
func (s answered) numbers() int {
	if s.Residuals == 0 && len(s.Outputs) == 0 {
		return 0
	}
	return s.reading().Numbers()
}

func (s answered) apply(o *untwist.Options) {
	o.Residuals, o.Outputs, o.Limits, o.Maximize = s.Residuals, s.Outputs, s.Limits, s.Maximize
}

// read returns what the flags and the file say, and the outputs as a program has them. A flag for an
// output of the file changes its limits.
func (f *severalFlags) read(from *source) (s answered, outputs []program.Output, err error) {
	s = f.answered
	var all []program.LimitedOutput
	if from.file != nil {
		all = slices.Clone(from.file.Outputs)
	}
	for _, given := range f.outputs {
		o, err := parseOutput(given)
		if err != nil {
			return s, nil, from.wrong("output", "%v", err)
		}
		i := slices.IndexFunc(all, func(other program.LimitedOutput) bool { return other.Name == o.Name })
		switch {
		case i < 0:
			all = append(all, o)
		case o.Count > 0 && o.Count != all[i].Count:
			return s, nil, from.wrong("output", "%s has another count in %s", o.Name, from.file.Path)
		default:
			all[i].Limits.Min, all[i].Limits.Max, all[i].Limits.Equal = o.Limits.Min, o.Limits.Max, o.Limits.Equal
		}
	}
	for _, o := range all {
		outputs = append(outputs, o.Output)
		for _, name := range o.Names() {
			limited := o.Limits
			limited.Name = name
			s.Outputs = append(s.Outputs, limited)
		}
	}
	return s, outputs, nil
}

var (
	outputForm  = regexp.MustCompile(`^\s*([\pL_][\pL\pN_]*)\s*(?:\[\s*(\d+)\s*\])?\s*(.*)$`)
	outputLimit = regexp.MustCompile(`^,?\s*(<=|>=|==|=|<|>|≤|≥)\s*([^\s,<>=]+)\s*`)
)

// parseOutput reads NAME, NAME<=MAX, NAME>=MIN, NAME=EQUAL, NAME>=MIN<=MAX or the like for NAME[COUNT].
func parseOutput(given string) (o program.LimitedOutput, err error) {
	bad := fmt.Errorf("%q is not NAME, NAME<=25, NAME>=10, NAME=3 or NAME[10]<=25", given)
	m := outputForm.FindStringSubmatch(given)
	if m == nil {
		return o, bad
	}
	if o.Name = m[1]; m[2] != "" {
		if o.Count, err = strconv.Atoi(m[2]); err != nil || o.Count < 1 {
			return o, bad
		}
	}
	for rest := m[3]; rest != ""; {
		l := outputLimit.FindStringSubmatch(rest)
		if l == nil {
			return o, bad
		}
		rest = rest[len(l[0]):]
		v, err := strconv.ParseFloat(l[2], 64)
		if err != nil {
			return o, bad
		}
		switch {
		case strings.ContainsAny(l[1], "<≤"):
			o.Limits.Max = &v
		case strings.ContainsAny(l[1], ">≥"):
			o.Limits.Min = &v
		default:
			o.Limits.Equal = &v
		}
	}
	if err := o.Limits.Check(); err != nil {
		return o, fmt.Errorf("%q: %w", given, err)
	}
	return o, nil
}

// names returns the names of the numbers of an answer that are not its value: those of a table.
func (s answered) names() (all []string) {
	for i := range s.Residuals {
		all = append(all, fmt.Sprintf("residual%d", i+1))
	}
	for _, o := range s.Outputs {
		all = append(all, o.Name)
	}
	return all
}

// besides returns the last n numbers of an answer, those that are not its value; nil: it has none.
func besides(numbers []float64, n int) []float64 {
	if len(numbers) < n {
		return nil
	}
	return numbers[len(numbers)-n:]
}

// A rank is the order of answers: by feasibility, and then by the value.
type rank struct {
	answered
	limits *query.Limits
}

// newRank ranks the answers of a subject.
func newRank(s answered) rank { return rank{s, query.NewLimits(s.reading())} }

// of returns how far an answer exceeds the limits, 0 if it does not, and its value as one that is to be
// small.
func (r rank) of(a objective.Answer) (over, value float64) {
	if value = a.Value; r.Maximize {
		value = -value
	}
	if len(a.Numbers) == r.numbers() && r.numbers() > 0 {
		r.limits.See(a.Numbers)
		if over = r.limits.Violation(a.Numbers); over <= 1 {
			over = 0
		}
	}
	return over, value
}
