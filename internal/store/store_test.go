package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/objective"
)

var ctx = context.Background()

func open(t *testing.T, path string, about ...Setting) *Store {
	t.Helper()
	s, err := Open(ctx, path, about...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// example has every field at a value that a careless column would change.
func example(seed uint64) Run {
	return Run{
		Key: Key{"rastrigin", "cbo", seed}, Status: "target-reached", Gap: 0.1 + 0.2, Queries: 5_000_000, Reached: 4_999_999,
		Seconds: 1. / 3, Own: 1. / 7, Rounds: 1 << 33, Version: "v1.2.3-0.x+dirty 'ü'", Recovered: -1, Curve: []objective.Sample{{Queries: 1, Value: math.Pi}, {Queries: 1 << 40, Value: 5e-324}}, Frame: []byte(`{"rows":[[1]]}`),
	}
}

// What is put comes back with the same bits, even after the file was closed.
func TestRunsComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder with spaces & 100 %?#", "runs.jsonl")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	plain := Run{Key: Key{"p", "m", 0}, Gap: math.Inf(1), Curve: nil}
	for _, r := range []Run{example(math.MaxUint64), plain} {
		if err := s.Put(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	s = open(t, path)
	for _, want := range []Run{example(math.MaxUint64), plain} {
		got, there, err := s.Get(ctx, want.Key)
		if err != nil || !there || !cmp.Equal(got, want) {
			t.Errorf("%v, there %v, error %v", cmp.Diff(want, got), there, err)
		}
	}
	if _, there, err := s.Get(ctx, Key{"p", "m", 1}); there || err != nil {
		t.Error("a run that nobody made is there, or", err)
	}
	light := example(math.MaxUint64)
	light.Frame = nil
	all, err := s.All(ctx)
	if want := []Run{plain, light}; err != nil || !cmp.Equal(all, want) {
		t.Errorf("%v, error %v", cmp.Diff(want, all), err)
	}
}

// Values that are not finite are left out of curves.
func TestCurvesAreFinite(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "runs.jsonl"))
	r := example(1)
	r.Curve = []objective.Sample{{Queries: 1, Value: math.Inf(1)}, {Queries: 2, Value: 7}}
	if err := s.Put(ctx, r); err != nil {
		t.Fatal(err)
	}
	if got, _, err := s.Get(ctx, r.Key); err != nil || !cmp.Equal(got.Curve, r.Curve[1:]) {
		t.Error(got.Curve, err)
	}
}

// The first run with a key is kept.
func TestARunIsKeptOnce(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "runs.jsonl"))
	second := example(3)
	second.Gap = 7
	for _, r := range []Run{example(3), second} {
		if err := s.Put(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := s.All(ctx); err != nil || len(all) != 1 || all[0].Gap != example(3).Gap {
		t.Error(all, err)
	}
}

// A store of another experiment is refused and not changed. The error names the setting
// that differs.
func TestOtherExperimentsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	s := open(t, path, Setting{"dim", "10"}, Setting{"budget", "50000"})
	if err := s.Put(ctx, example(0)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		about []Setting
		text  string
	}{
		{[]Setting{{"dim", "20"}, {"budget", "9"}}, "with dim 10 where this one has 20"},
		{[]Setting{{"budget", "9"}, {"dim", "20"}}, "with budget 50000 where this one has 9"},
		{[]Setting{{"dim", "10"}}, "with budget 50000 where this one has none"},
		{[]Setting{{"dim", "10"}, {"budget", "50000"}, {"gap", "1"}}, "with gap none where this one has 1"},
	} {
		var other *OtherError
		if _, err := Open(ctx, path, test.about...); !errors.As(err, &other) || !strings.HasSuffix(err.Error(), test.text) {
			t.Errorf("%v: %v", test.about, err)
		}
	}
	again := open(t, path, Setting{"budget", "50000"}, Setting{"dim", "10"})
	if all, err := again.All(ctx); err != nil || len(all) != 1 {
		t.Error(len(all), err)
	}
}

// Files that are not stores are refused and not changed.
func TestFilesThatAreNoStores(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"text":    strings.Repeat("not a store\n", 100),
		"newer":   `{"store":"untwist","format":99,"about":[]}` + "\n",
		"foreign": `{"store":"other","format":3}` + "\n",
		"part":    "x",
		"sqlite":  "SQLite format 3\x00\x10\x00",
		"lines":   "SQLite format 3\x00\n\x00",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		var other *OtherError
		if _, err := Open(ctx, path); !errors.As(err, &other) || !other.NotAStore || other.Older != strings.HasPrefix(content, "SQLite") {
			t.Errorf("%s: %v", path, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != content {
			t.Error("the file has changed", err)
		}
	}
	if _, err := Open(ctx, filepath.Join(dir, "nowhere", "runs.jsonl")); err == nil || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A store knows the settings with which it was made, whoever opens it.
func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	for range 2 {
		s := open(t, path, Setting{"dim", "10"})
		if s.Setting("dim") != "10" || s.Setting("mix") != "" {
			t.Error(s.about)
		}
		s.Close()
	}
}

// A run whose gap is not a number is not stored.
func TestGapsAreNumbers(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "runs.jsonl"))
	r := example(1)
	r.Gap = math.NaN()
	if err := s.Put(ctx, r); err == nil {
		t.Error("it is kept")
	}
}

// A run that is damaged is named, and a store that has become shorter.
func TestDamagedRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	s := open(t, path)
	if err := s.Put(ctx, example(1)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"x\n", "{}\n", "\n"} {
		if err := os.WriteFile(path, append(slices.Clone(text), bad...), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(ctx, path); err == nil || !strings.HasSuffix(err.Error(), "runs.jsonl: damaged: line 3 is not a run") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := s.All(ctx); err == nil || !strings.Contains(err.Error(), "shorter than before") {
		t.Error(err)
	}
}

// Wherever the program is killed while it writes, what was stored before stays, and the store goes on.
func TestCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	s := open(t, path, Setting{"dim", "10"})
	for seed := range uint64(3) {
		if err := s.Put(ctx, example(seed)); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(text); n += 7 {
		if err := os.WriteFile(path, text[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		want := max(bytes.Count(text[:n], []byte{'\n'})-1, 0)
		s := open(t, path, Setting{"dim", "10"})
		all, err := s.All(ctx)
		if err != nil || len(all) != want {
			t.Fatalf("%d bytes: %d runs, want %d, error %v", n, len(all), want, err)
		}
		for seed := range uint64(3) {
			if err := s.Put(ctx, example(seed)); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, text) {
			t.Fatalf("%d bytes: %q, error %v", n, after, err)
		}
	}
}

// While another program has locked the file, the store waits until the context ends.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	s, other := open(t, path), open(t, path)
	if free, err := lock(other.file); !free || err != nil {
		t.Fatal(free, err)
	}
	for name, try := range map[string]func(context.Context) error{
		"it is opened": func(ctx context.Context) error { _, err := Open(ctx, path); return err },
		"a run is put": func(ctx context.Context) error { return s.Put(ctx, example(1)) },
	} {
		limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		if err := try(limited); err == nil {
			t.Error(name)
		} else if limited.Err() == nil {
			t.Errorf("it does not wait: %v", err)
		}
		cancel()
	}
	put := make(chan error, 1)
	go func() { put <- s.Put(ctx, example(1)) }()
	unlock(other.file)
	if err := <-put; err != nil {
		t.Error(err)
	}
}

// A file that cannot be written to gives an error of one line that names it. Stored runs stay.
func TestNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	s := open(t, path)
	if err := s.Put(ctx, example(1)); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	file, s.file = s.file, file
	if err := s.Put(ctx, example(2)); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	file, s.file = s.file, file
	file.Close()
	if err := s.Put(ctx, example(2)); err != nil {
		t.Error(err)
	}
	if all, err := s.All(ctx); err != nil || len(all) != 2 {
		t.Errorf("%d runs, error %v", len(all), err)
	}
}

// Several stores on one file, each with several writers, all start at once. Each run is
// stored once.
func TestTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	var all sync.WaitGroup
	for store := range 4 {
		all.Go(func() {
			s, err := Open(ctx, path, Setting{"dim", "10"})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for k := range 20 {
				r := example(uint64((k + 5*store) % 20))
				r.Method = fmt.Sprint("by ", r.Seed)
				if err := s.Put(ctx, r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s := open(t, path, Setting{"dim", "10"})
	if runs, err := s.All(ctx); err != nil || len(runs) != 20 {
		t.Errorf("%d runs, error %v", len(runs), err)
	}
}

// A store that is only read must be there, and no bit of its file changes.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if _, err := Read(ctx, path); err == nil {
		t.Error("what is not there is read")
	}
	s := open(t, path, Setting{"dim", "10"})
	if err := s.Put(ctx, example(1)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(ctx, path, Setting{"dim", "10"})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if all, err := read.All(ctx); err != nil || len(all) != 1 {
		t.Errorf("%d runs, error %v", len(all), err)
	}
	if err := read.Put(ctx, example(2)); err == nil {
		t.Error("it is written to")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file has changed, or %v", err)
	}
	var other *OtherError
	if _, err := Read(ctx, path, Setting{"dim", "11"}); !errors.As(err, &other) {
		t.Error(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(ctx, empty); !errors.As(err, &other) || !other.NotAStore {
		t.Error(err)
	}
}
