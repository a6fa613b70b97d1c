package query

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Memory answers points that were asked before, which are no queries then. The first of them is asked
// once more: if its value is another one, f has noise, and all are asked from then on. A search that is
// answered from memory alone again and again is ended: it gains nothing.
type Memory struct {
	wrapped
	numbers func() [][]float64 // of the last queries, a row each; none: answers have a value alone
	known   map[string]remembered
	checked bool // some point was asked twice
	noisy   bool // and its values differed
	inARow  int  // points that were answered from memory, since the last that was not
	several bool // answers have several numbers
	ended   bool // the search came to known points alone
	recent  [][]float64
}

// remembered is the answer of a point.
type remembered struct {
	value   float64
	numbers []float64
}

// mostInARow is how many points in a row may be known. A search that converges comes to some thousands
// before it starts elsewhere.
const mostInARow = 20_000

// NewMemory remembers the answers of f. numbers returns those of the queries since it was last called.
func NewMemory(f objective.Objective, numbers func() [][]float64) *Memory {
	return &Memory{wrapped: wrapped{f}, numbers: numbers, known: map[string]remembered{}}
}

// Recent returns the numbers of the points since it was last called, a row for each, nil where one has
// failed.
func (m *Memory) Recent() [][]float64 {
	rows := m.recent
	m.recent = nil
	return rows
}

// Ended reports whether it has ended the search.
func (m *Memory) Ended() bool { return m != nil && m.ended }

// Evaluate evaluates f at the points that are not known.
func (m *Memory) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	keys, ask, checks := make([]string, len(values)), []int(nil), -1
	fresh := map[string]bool{}
	for i := range values {
		keys[i] = key(points.RawRowView(i))
		_, known := m.known[keys[i]]
		known = known || fresh[keys[i]]
		switch {
		case !known || m.noisy:
			fresh[keys[i]] = true
			ask = append(ask, i)
		case !m.checked:
			m.checked, checks = true, len(ask)
			ask = append(ask, i)
		}
	}
	if m.inARow += len(values); len(ask) > 0 {
		m.inARow = 0
	} else if m.inARow > mostInARow {
		m.ended = true
		return partial(0, 0, objective.ErrTolerance)
	}
	err := m.miss(ctx, points, values, keys, ask, checks)
	done := len(values)
	if err != nil {
		n, _ := progress(len(ask), err)
		if done = 0; n < len(ask) {
			done = ask[n]
		}
	}
	for i := range done {
		was := m.known[keys[i]]
		if !m.noisy || !slices.Contains(ask, i) {
			values[i] = was.value
		}
		if m.several {
			m.recent = append(m.recent, was.numbers)
		}
	}
	if err != nil {
		_, spent := progress(len(ask), err)
		return partial(done, max(done, spent), err)
	}
	return nil
}

// miss asks f for the points with these indices, and remembers the answers. That of index checks was
// known.
func (m *Memory) miss(ctx context.Context, points *mat.Dense, values []float64, keys []string, ask []int, checks int) error {
	if len(ask) == 0 {
		return nil
	}
	_, d := points.Dims()
	batch, got := mat.NewDense(len(ask), d, nil), make([]float64, len(ask))
	for k, i := range ask {
		batch.SetRow(k, points.RawRowView(i))
	}
	err := m.f.Evaluate(ctx, batch, got)
	rows := m.numbers()
	m.several = m.several || len(rows) > 0
	n, _ := progress(len(ask), err)
	for k, i := range ask[:n] {
		now := remembered{value: got[k]}
		if k < len(rows) {
			now.numbers = rows[k]
		}
		if was, ok := m.known[keys[i]]; ok && k == checks {
			m.noisy = math.Float64bits(was.value) != math.Float64bits(now.value)
		}
		m.known[keys[i]], values[i] = now, got[k]
	}
	return err
}

// key returns the bits of a point.
func key(x []float64) string {
	text := make([]byte, 0, 8*len(x))
	for _, v := range x {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	return string(text)
}
