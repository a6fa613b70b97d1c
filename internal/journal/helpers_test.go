package journal

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/query"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dim = 3

// theHeader is that of the runs in these tests.
func theHeader() Header {
	return Header{
		Numerics: 1, Dim: dim,
		About: []byte(`{"Objective":{"Exec":"./sim","Digest":"aa"},"Options":{"Seed":1,"Budget":100}}`),
		Free:  []string{"Options.Budget"},
	}
}

// theAnswer is what f has at a point. Some points fail.
func theAnswer(x []float64) objective.Answer {
	sum := 0.
	for _, v := range x {
		sum += float64(v * v)
	}
	a := objective.Answer{Value: sum, Seconds: 0.25}
	switch n := int(x[0]); {
	case n%11 == 3:
		a.Value, a.Failure = math.Inf(1), &objective.Failure{Kind: objective.TimedOut, Detail: "took longer than 1 s"}
	case n%11 == 5:
		a.Value, a.Failure = math.Inf(1), &objective.Failure{Kind: objective.BadExit, Detail: fmt.Sprintf("status %d", n)}
	case n%11 == 7:
		a.By = "host-b"
	case n%11 == 8:
		a.Value = math.Copysign(0, -1)
	}
	return a
}

// thePoint is what the run asks as its query of that number.
func thePoint(number int) []float64 {
	return []float64{float64(number), math.Sin(float64(number)), -1 / float64(number)}
}

// someBatch returns the points of some queries.
func someBatch(first, n int) *mat.Dense {
	points := mat.NewDense(n, dim, nil)
	for i := range n {
		points.SetRow(i, thePoint(first+i))
	}
	return points
}

// A function is f, as a Teller that tells in any order and knows what it was asked.
type function struct {
	mu     sync.Mutex
	asked  map[int]bool // by number
	order  func(n int) []int
	err    error // returned when the first few have been told
	before int
}

func (f *function) Dim() int { return dim }

func (f *function) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return f.Each(ctx, points, values, func(int, objective.Answer) {})
}

func (f *function) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	if f.order != nil {
		order = f.order(len(values))
	}
	for told, i := range order {
		if f.err != nil && told >= f.before {
			return f.err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f.mu.Lock()
		number := query.NumberOf(ctx, i)
		if f.asked[number] {
			panic(fmt.Sprintf("query %d was asked again", number))
		}
		if f.asked == nil {
			f.asked = map[int]bool{}
		}
		f.asked[number] = true
		f.mu.Unlock()
		if number != int(points.At(i, 0)) {
			panic(fmt.Sprintf("query %g is said to be query %d", points.At(i, 0), number))
		}
		a := theAnswer(points.RawRowView(i))
		values[i] = a.Value
		tell(i, a)
	}
	return nil
}

// theBatches are how many queries each batch of the run has.
var theBatches = []int{4, 1, 1, 7, 3}

// theQueries is how many that are.
const theQueries = 16

// runAll asks for all batches, and checks every answer.
func runAll(t testing.TB, f query.Teller, batches []int) {
	t.Helper()
	if err := tryAll(t, f, batches); err != nil {
		t.Fatal(err)
	}
}

// tryAll asks for all batches until there is an error, and checks every answer.
func tryAll(t testing.TB, f query.Teller, batches []int) error {
	t.Helper()
	first := 1
	for _, n := range batches {
		points, values := someBatch(first, n), make([]float64, n)
		told := make([]bool, n)
		err := f.Each(t.Context(), points, values, func(i int, a objective.Answer) {
			told[i] = true
			if want := theAnswer(points.RawRowView(i)); !cmp.Equal(a, want) {
				t.Errorf("query %d: told %+v, want %+v", first+i, a, want)
			}
		})
		for i, v := range values[:query.Evaluated(values, err)] {
			if want := theAnswer(points.RawRowView(i)).Value; math.Float64bits(v) != math.Float64bits(want) || !told[i] {
				t.Errorf("query %d: value %v, want %v; told: %v", first+i, v, want, told[i])
			}
		}
		if err != nil {
			return err
		}
		first += n
	}
	return nil
}

// mustOpen opens a journal and closes it at the end of the test.
func mustOpen(t testing.TB, c Config) *Journal {
	t.Helper()
	j, err := Open(c, theHeader())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustClose(t, j) })
	return j
}

func mustClose(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}

// inFolder returns the name of a journal in a new folder, in memory where that is possible:
// tests wait for the disk otherwise.
func inFolder(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "untwist-test-")
	if err != nil {
		return filepath.Join(t.TempDir(), "run.journal")
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "run.journal")
}

// makeJournal records a run of these batches and returns the file.
func makeJournal(t testing.TB, c Config, batches []int) string {
	t.Helper()
	if c.File == "" {
		c.File = inFolder(t)
	}
	j, err := Open(c, theHeader())
	if err != nil {
		t.Fatal(err)
	}
	f := &function{order: backwards}
	runAll(t, j.Wrap(f), batches)
	mustClose(t, j)
	return c.File
}

func backwards(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = n - 1 - i
	}
	return order
}

// mustRead returns the queries of a journal by number.
func mustRead(t testing.TB, file string) map[int]Query {
	t.Helper()
	all := map[int]Query{}
	s, err := Read(file, func(q Query) error {
		if _, ok := all[q.Number]; ok {
			t.Errorf("query %d is in the file twice", q.Number)
		}
		all[q.Number] = q
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Queries != len(all) {
		t.Errorf("the summary has %d queries, and the file %d", s.Queries, len(all))
	}
	return all
}

func contents(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
