package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A fakeCaller is the other side: it evaluates what the program asks for.
type fakeCaller struct {
	f        func(x []float64) float64
	most     int // answers in a message
	batches  int
	points   int
	progress int
	arrays   map[string][]float64
	last     []byte
	drawing  []byte
	stop     int // stops in the middle of this batch, from 1; 0: never
}

// talk runs the other side until the program's output ends.
func (f *fakeCaller) talk(t *testing.T, dim int, in io.Reader, out io.Writer) {
	f.arrays = map[string][]float64{}
	for {
		kind, text, err := readMessage(in)
		if err != nil {
			return
		}
		switch kind {
		case kindPoints:
			f.batches++
			n := int(binary.LittleEndian.Uint32(text))
			if len(text) != 4+8*n*dim {
				t.Errorf("a message of %d bytes for %d points", len(text), n)
			}
			f.points += n
			all := floatsOf(text[4:])
			for first := 0; first < n; first += f.most {
				var values []float64
				for i := first; i < min(first+f.most, n); i++ {
					values = append(values, f.f(all[i*dim:(i+1)*dim]))
				}
				write(out, kindAnswers, answersText(first, values, 0.25))
				if f.batches == f.stop {
					write(out, kindStop, nil)
					break
				}
			}
		case kindProgress:
			f.progress++
		case kindArray:
			n := binary.LittleEndian.Uint32(text)
			f.arrays[string(text[4:4+n])] = floatsOf(text[12+n:])
		case kindDrawing:
			f.drawing = text
		case kindResult:
			f.last = text
		}
	}
}

func floatsOf(text []byte) (all []float64) {
	for ; len(text) >= 8; text = text[8:] {
		all = append(all, math.Float64frombits(binary.LittleEndian.Uint64(text)))
	}
	return all
}

func write(out io.Writer, kind byte, text []byte) {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(text)))
	_, _ = out.Write(append(head, text...))
}

// answersText is a message of answers, in which NaN is a failure with words.
func answersText(first int, values []float64, seconds float64) []byte {
	text := binary.LittleEndian.AppendUint32(nil, uint32(first))
	text = binary.LittleEndian.AppendUint32(text, uint32(len(values)))
	text = binary.LittleEndian.AppendUint64(text, math.Float64bits(seconds))
	var failures []byte
	for i, v := range values {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
		if math.IsNaN(v) {
			failures = binary.LittleEndian.AppendUint32(failures, uint32(i))
			failures = append(failures, byte(objective.Errored), 4, 0, 0, 0)
			failures = append(failures, "lost"...)
		}
	}
	return append(text, failures...)
}

// begin makes a caller whose other side is f, and returns what ends it.
func (f *fakeCaller) begin(t *testing.T, said string) (c *caller, end func()) {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	go write(inWrite, kindHello, []byte(said))
	c, err := newCaller(inRead, outWrite)
	if err != nil {
		t.Fatal(err)
	}
	c.exit = func(int) {}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.talk(t, c.Dim(), outRead, inWrite)
	}()
	return c, func() {
		outWrite.Close()
		<-done
		inWrite.Close()
	}
}

const fourBox = `{"dim":4,"function":"f","bounds":[[-5,5],[-5,5],[-5,5],[-5,5]]}`

func tang(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		y := v + 0.5*x[(i+1)%len(x)]
		sum += ((y*y-16)*y + 5) * y
	}
	return sum
}

// A run whose caller evaluates is the run of the library, bit by bit.
func TestCallerSameBits(t *testing.T) {
	t.Parallel()
	want, err := untwist.Minimize(t.Context(), objective.Func(4, tang), untwist.Options{Bounds: objective.Cube(4, -5, 5), Budget: 1500})
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 7, 1 << 20} {
		side := &fakeCaller{f: tang, most: most}
		c, end := side.begin(t, strings.Replace(fourBox, "}", `,"progress":true}`, 1))
		s, err := c.subject(0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := s.until()
		got, err := untwist.Minimize(ctx, c, untwist.Options{Bounds: s.bounds, Start: s.start, Points: s.points, Budget: 1500, Progress: s.watch(nil)})
		stop()
		end()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Point, got.Point); diff != "" || want.Value != got.Value || want.Queries != got.Queries {
			t.Errorf("%d answers a message: %v in %d queries, want %v in %d\n%s", most, got.Value, got.Queries, want.Value, want.Queries, diff)
		}
		if side.points != got.Queries || side.progress == 0 {
			t.Errorf("the caller was asked for %d points and told %d times, in %d queries", side.points, side.progress, got.Queries)
		}
	}
}

// Known points are a message of their own.
func TestCallerKnownPoints(t *testing.T) {
	t.Parallel()
	var in bytes.Buffer
	write(&in, kindHello, []byte(`{"dim":2,"known":2}`))
	var text []byte
	for _, v := range []float64{1, math.Copysign(0, -1), 3, 0.1} {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	write(&in, kindKnown, text)
	c, err := newCaller(&in, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.subject(5)
	if diff := cmp.Diff([][]float64{{1, math.Copysign(0, -1)}, {3, 0.1}}, s.points); err != nil || diff != "" || s.seed != 5 {
		t.Errorf("%v, seed %d\n%s", err, s.seed, diff)
	}
}

// Failures are told with their words, and how long an answer took.
func TestCallerFailures(t *testing.T) {
	t.Parallel()
	side := &fakeCaller{most: 2, f: func(x []float64) float64 {
		if x[0] > 1 {
			return math.NaN()
		}
		return x[0]
	}}
	c, end := side.begin(t, `{"dim":1,"function":"f"}`)
	defer end()
	ctx, stop := subject{caller: c}.until()
	defer stop()
	values, told := make([]float64, 3), make([]objective.Answer, 3)
	err := c.Each(ctx, mat.NewDense(3, 1, []float64{1, 2, 0.5}), values, func(i int, a objective.Answer) { told[i] = a })
	want := []objective.Answer{
		{Value: 1, Seconds: 0.25},
		{Value: math.Inf(1), Seconds: 0.25, Failure: &objective.Failure{Kind: objective.Errored, Detail: "lost"}},
		{Value: 0.5, Seconds: 0.25},
	}
	if diff := cmp.Diff(want, told); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff([]float64{1, math.Inf(1), 0.5}, values); diff != "" {
		t.Error(diff)
	}
}

// A caller can stop a run within a batch. What was answered counts.
func TestCallerStops(t *testing.T) {
	t.Parallel()
	side := &fakeCaller{f: tang, most: 5, stop: 1}
	c, end := side.begin(t, fourBox)
	s, _ := c.subject(0)
	ctx, stop := s.until()
	defer stop()
	got, err := untwist.Minimize(ctx, c, untwist.Options{Bounds: s.bounds, Budget: 3000}) // with a survey
	end()
	if err != nil || got.Status != objective.Cancelled || !errors.Is(context.Cause(ctx), errStopped) {
		t.Fatalf("%v, %v, %v", got.Status, err, context.Cause(ctx))
	}
	if got.Queries != 5 || side.points <= 5 || got.Value != tang(got.Point) {
		t.Errorf("%d queries of %d points, best %v", got.Queries, side.points, got.Value)
	}
}

// The end of a caller ends the run.
func TestCallerGone(t *testing.T) {
	t.Parallel()
	read, written := io.Pipe()
	go func() {
		write(written, kindHello, []byte(fourBox))
		written.Close()
	}()
	c, err := newCaller(read, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	exited := make(chan int, 1)
	c.exit = func(status int) { exited <- status }
	ctx, stop := subject{caller: c}.until()
	defer stop()
	got, err := untwist.Minimize(ctx, c, untwist.Options{Budget: 100})
	if err != nil || got.Queries != 0 || !errors.Is(context.Cause(ctx), errGone) {
		t.Errorf("%d queries, %v, %v", got.Queries, err, context.Cause(ctx))
	}
	if status := <-exited; status != exitError {
		t.Errorf("exit status %d", status)
	}
}

// What a caller may not write is refused, and never taken.
func TestCallerRefuses(t *testing.T) {
	t.Parallel()
	good := answersText(0, []float64{1, math.NaN()}, 1)
	if a, err := readAnswers(good); err != nil || len(a.values) != 2 || a.failures[1].Detail != "lost" {
		t.Errorf("%v, %v", a, err)
	}
	for n := range good {
		if n == 32 { // without the failure
			continue
		}
		if _, err := readAnswers(good[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(good))
		}
	}
	for _, said := range []string{``, `{}`, `{"dim":1,"dimension":2}`, `[1]`} {
		var in bytes.Buffer
		write(&in, kindHello, []byte(said))
		if _, err := newCaller(&in, io.Discard); err == nil {
			t.Errorf("%q is taken", said)
		}
	}
	for _, known := range [][]byte{nil, make([]byte, 8), make([]byte, 24)} {
		var in bytes.Buffer
		write(&in, kindHello, []byte(`{"dim":2,"known":1}`))
		write(&in, kindKnown, known)
		if c, err := newCaller(&in, io.Discard); err == nil {
			t.Errorf("%d bytes are taken for a point: %v", len(known), c.known)
		}
	}
	var in bytes.Buffer
	write(&in, kindKnown, nil)
	if _, err := readKnown(&in, 1, 1<<61); err == nil { // 8·2⁶¹ is 0
		t.Error("nothing is taken for a point of very many numbers")
	}
	for _, rows := range [][][]float64{{}, {{}}, {{0, 0}}, {{1, 0}, {1}}} {
		c := &caller{hello: hello{Dim: 2, Frame: rows}}
		if _, _, err := c.frame(); err == nil || strings.Contains(err.Error(), "frame: frame:") {
			t.Errorf("%v is a frame: %v", rows, err)
		}
	}
	c := &caller{hello: hello{Dim: 1}, out: io.Discard, answers: make(chan answers)}
	for _, a := range []answers{{first: 1, values: []float64{1}}, {values: []float64{1, 2}}, {first: math.MaxInt32, values: []float64{1}}} {
		go func() { c.answers <- a }()
		if err := c.Evaluate(t.Context(), mat.NewDense(1, 1, nil), make([]float64, 1)); err == nil {
			t.Errorf("%v is taken for an answer to one point", a)
		}
	}
}

// A result has the bits of the point, the frame and the profiles; what was told is drawn later.
func TestCallerResult(t *testing.T) {
	t.Parallel()
	side := &fakeCaller{f: tang, most: 1024}
	c, end := side.begin(t, fourBox)
	s, _ := c.subject(0)
	ctx, stop := s.until()
	defer stop()
	result, err := untwist.Minimize(ctx, c, untwist.Options{Bounds: s.bounds, Budget: 5000})
	if err != nil {
		t.Fatal(err)
	}
	found := newRunReport(s, result)
	if err := c.told(finding{outcome: found, page: page.Page{Run: found}}, nil); err != nil {
		t.Fatal(err)
	}
	end()
	if diff := cmp.Diff(result.Point, side.arrays["x"]); diff != "" || side.arrays["fun"][0] != result.Value {
		t.Errorf("x: %s", diff)
	}
	if diff := cmp.Diff(result.Structure.Frame.Matrix().RawRowView(1), side.arrays["frame"][4:8]); diff != "" {
		t.Errorf("frame: %s", diff)
	}
	if p := result.Profiles[0]; len(side.arrays["profile 0"]) != 2*len(p.Y) || len(side.arrays["wells 0"]) != 2*len(p.Wells) {
		t.Errorf("a profile of %d points and %d wells: %v, %v", len(p.Y), len(p.Wells), side.arrays["profile 0"], side.arrays["wells 0"])
	}
	var last map[string]any
	if err := json.Unmarshal(side.last, &last); err != nil || last["report"].(map[string]any)["queries"] != float64(result.Queries) {
		t.Errorf("%v: %s", err, side.last)
	}
	var d drawing
	if err := gob.NewDecoder(bytes.NewReader(side.drawing)).Decode(&d); err != nil {
		t.Fatal(err)
	}
	later, now := t.TempDir(), t.TempDir()
	if err := errors.Join(d.draw(later), newRunReport(s, result).Draw(now)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"convergence.svg", "profiles.svg", "couplings.svg"} {
		a, errA := os.ReadFile(later + "/" + name)
		b, errB := os.ReadFile(now + "/" + name)
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}

func newRunReport(s subject, r untwist.Result) report.Run {
	return report.Run{Subject: s.words, Result: r}
}
