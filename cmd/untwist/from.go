package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// mostEarlier is how many points of an earlier run another one starts from.
const mostEarlier = 10

// earlierPoints returns the best points of an earlier run, or of a table of old evaluations, that
// lie within the limits of a subject. Parameters are matched by their names, if both have them.
// The words of an error go on after the flag's name.
func earlierPoints(file, current string, s subject) ([][]float64, error) {
	now, err := filepath.Abs(current)
	if earlier, _ := filepath.Abs(file); current != "" && err == nil && now == earlier {
		return nil, fmt.Errorf("%s is the journal of this run; to go on with it, leave --from out", file)
	}
	best := fewBest{limits: s.bounds, space: s.space, rank: newRank(s.several)}
	if s.space != nil {
		best.limits = s.space.Limits()
	}
	for _, text := range s.several.Limits {
		l, err := parameter.ParseLinear(text, s.parameters().Names())
		if err != nil {
			return nil, err
		}
		best.linear = append(best.linear, l)
	}
	read := readEarlier
	if strings.EqualFold(filepath.Ext(file), ".csv") {
		read = readTable
	}
	hashed, err := read(file, s, best.add)
	switch {
	case err != nil:
		return nil, unwrapped(err)
	case len(best.all) == 0 && hashed:
		return nil, fmt.Errorf("%s has no points: it was kept with --journal-points=false", file)
	case len(best.all) == 0:
		return nil, fmt.Errorf("%s has no point with a value within the limits of this run", file)
	}
	return lists.Map(best.all, func(e evaluation) []float64 { return e.point }), nil
}

// An evaluation is a point and its value.
type evaluation struct {
	point []float64
	over  float64 // by how much it exceeds the limits of this run
	value float64
}

// compare says which of two is better.
func (e evaluation) compare(other evaluation) int {
	return cmp.Or(cmp.Compare(e.over, other.over), cmp.Compare(e.value, other.value))
}

// fewBest keeps the best few evaluations within limits, the best first, and of equal ones those
// that came first.
type fewBest struct {
	limits objective.Box
	space  parameter.Space // nil: parameters have no names
	linear []parameter.Linear
	rank   rank
	all    []evaluation
}

// within reports whether a point is within all limits, and each value is one of its parameter.
func (b *fewBest) within(point []float64) bool {
	if !b.limits.IsZero() && !b.limits.Contains(point) {
		return false
	}
	for i := range b.space {
		if b.space.Off(i, point[i]) != "" {
			return false
		}
	}
	return !slices.ContainsFunc(b.linear, func(l parameter.Linear) bool {
		sum := l.Sum(point)
		return sum > l.Hi || sum < l.Lo
	})
}

// add adds an evaluation. A value that is not finite is a failure.
func (b *fewBest) add(point []float64, a objective.Answer) {
	now := evaluation{point: point}
	if now.over, now.value = b.rank.of(a); math.IsNaN(a.Value) || math.IsInf(a.Value, 0) ||
		len(b.all) == mostEarlier && now.compare(b.all[len(b.all)-1]) >= 0 || !b.within(point) ||
		slices.ContainsFunc(b.all, func(e evaluation) bool { return slices.Equal(e.point, point) }) {
		return
	}
	at := slices.IndexFunc(b.all, func(e evaluation) bool { return e.compare(now) > 0 })
	if at < 0 {
		at = len(b.all)
	}
	b.all = slices.Insert(b.all, at, now)
	b.all = b.all[:min(len(b.all), mostEarlier)]
}

// readEarlier reads the evaluations of a journal as those of a subject. hashed says that some have
// no points.
func readEarlier(file string, s subject, add func([]float64, objective.Answer)) (hashed bool, err error) {
	summary, err := journal.Read(file, nil) // the header
	if err != nil {
		return false, err
	}
	pick, err := match(readAbout(summary.Header).Parameters, summary.Dim, s)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	_, err = journal.Read(file, func(q journal.Query) error {
		hashed = hashed || q.Point == nil
		if q.Point != nil && q.Failure == nil {
			add(pick(q.Point), q.Answer)
		}
		return nil
	})
	return hashed, err
}

// unwrapped returns the words of an error about a file, without the name of a system call.
func unwrapped(err error) error {
	if where, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", where.Path, where.Err)
	}
	return err
}

// match finds the parameters of a subject among those of an earlier run: by their names,
// or by their order where one of the two has no names that somebody chose. A fixed parameter
// has its value. It returns what makes a point of the subject from one of the earlier run.
func match(was parameter.Space, dim int, s subject) (pick func([]float64) []float64, err error) {
	space, names := s.parameters(), was.Names()
	ordered := len(names) == 0 || isPlain(names) || isPlain(space.Names())
	if ordered && len(space) != dim {
		return nil, fmt.Errorf("its points have %d numbers, but %d are needed", dim, len(space))
	}
	at := make([]int, len(space)) // where a number comes from
	for i, p := range space {
		if at[i] = i; !ordered {
			at[i] = slices.Index(names, p.Name)
		}
		if p.Fixed == nil && at[i] < 0 {
			return nil, fmt.Errorf("it has no parameter %s", p.Name)
		}
	}
	return func(point []float64) []float64 {
		out := make([]float64, len(space))
		for i, p := range space {
			switch k := at[i]; {
			case p.Fixed != nil:
				out[i] = *p.Fixed
			case p.Choices != nil && k < len(was): // a word, whatever its index was
				out[i] = float64(slices.Index(p.Choices, was.Word(k, point[k])))
			default:
				out[i] = point[k]
			}
		}
		return out
	}, nil
}

// isPlain says that names are x1, x2, …, or x[0], x[1], … of a caller, which nobody has chosen.
func isPlain(names []string) bool {
	return slices.Equal(names, parameter.Plain(len(names)).Names()) || slices.Equal(names, countedFrom0(len(names)).Names())
}

// readTable reads old evaluations from a CSV file with a line of names, as those of a subject. A
// value that is empty is that of a point that failed.
func readTable(file string, s subject, add func([]float64, objective.Answer)) (hashed bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark)) // which was read
	}
	lines := csv.NewReader(text)
	header, err := lines.Read()
	if err != nil {
		return false, fmt.Errorf("%s: it has no line of names: %w", file, err)
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	space := s.parameters()
	at, value, err := columnsOf(header, space)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	for {
		row, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		line, _ := lines.FieldPos(0)
		if err := addRow(row, at, value, space, add); err != nil {
			return false, fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
}

// addRow adds the evaluation in a row.
func addRow(row []string, at []int, value int, space parameter.Space, add func([]float64, objective.Answer)) error {
	word := strings.TrimSpace(row[value])
	if word == "" {
		return nil
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("the value is %q, not a number", word)
	}
	point := make([]float64, len(space))
	for i, p := range space {
		if p.Fixed != nil {
			point[i] = *p.Fixed
			continue
		}
		word := strings.TrimSpace(row[at[i]])
		if point[i], err = parameter.ReadValue(p, word); err != nil {
			return err
		}
	}
	add(point, objective.Answer{Value: v})
	return nil
}

// columnsOf finds the columns of the parameters, and that of the values: it is called value, or is
// the only one that is no parameter. Parameters whose names nobody chose may be x1, x2, … or x[0],
// x[1], … there, or all columns but that of the values, in order.
func columnsOf(header []string, space parameter.Space) (at []int, value int, err error) {
	names := space.Names()
	plain := isPlain(names)
	if from0 := countedFrom0(len(names)).Names(); plain && slices.Contains(header, from0[0]) {
		names = from0
	} else if plain {
		names = parameter.Plain(len(names)).Names()
	}
	var others []int // columns that are no parameter
	for j, name := range header {
		if !slices.Contains(names, name) {
			others = append(others, j)
		}
	}
	ordered := plain && len(others) == len(header) && len(header) == len(names)+1
	value = slices.IndexFunc(header, func(name string) bool { return name == "value" && !slices.Contains(names, name) })
	switch {
	case value >= 0:
	case ordered:
		value = len(header) - 1
	case len(others) == 1:
		value = others[0]
	}
	for i, p := range space {
		j := slices.Index(header, names[i])
		if ordered {
			if j = i; i >= value {
				j++
			}
		}
		if j < 0 && p.Fixed == nil {
			return nil, 0, fmt.Errorf("it has no parameter %s; there are %s", names[i], strings.Join(header, ", "))
		}
		at = append(at, j)
	}
	if value < 0 {
		return nil, 0, fmt.Errorf("which column has the values of f? Call it value; there are %s", strings.Join(header, ", "))
	}
	return at, value, nil
}
