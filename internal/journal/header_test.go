package journal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct {
		was, now string
		want     []string
	}{
		{`{"A":1}`, `{"A":1}`, nil},
		{`{"A":1,"B":2}`, `{"B":2,"A":1}`, nil},
		{`{"Seed":1}`, `{"Seed":2}`, []string{"Seed is 1 in the journal and 2 now"}},
		{`{"P":[{"Name":"a"},{"Name":"b"}]}`, `{"P":[{"Name":"b"},{"Name":"a"}]}`,
			[]string{`P[0].Name is "a" in the journal and "b" now`, `P[1].Name is "b" in the journal and "a" now`}},
		{`{"P":[1,2]}`, `{"P":[1]}`, []string{"P is 2 entries long in the journal and 1 entry long now"}},
		{`{"A":{"B":1}}`, `{"A":{}}`, []string{"A.B is 1 in the journal and not set now"}},
		{`{"A":{}}`, `{"A":{"B":[1]}}`, []string{"A.B is not set in the journal and [1] now"}},
		{`{"A":1}`, `{"A":"1"}`, []string{`A is 1 in the journal and "1" now`}},
		{`{"A":null}`, `{"A":{}}`, []string{"A is null in the journal and {} now"}},
		{`{"A":1e100}`, `{"A":1e+100}`, []string{"A is 1e100 in the journal and 1e+100 now"}},
		{`{"A":"` + strings.Repeat("x", 100) + `"}`, `{}`, []string{`A is "` + strings.Repeat("x", 56) + `… in the journal and not set now`}},
		{`{`, `{}`, []string{"the header is { in the journal and {} now"}},
		{`{`, `{`, nil},
	} {
		var got []string
		for _, d := range Diff([]byte(c.was), []byte(c.now)) {
			got = append(got, d.String())
		}
		if !cmp.Equal(got, c.want) {
			t.Errorf("%s, %s: %q", c.was, c.now, got)
		}
	}
}

func TestJSONIsWrittenAsItWasRead(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `null`, `{"b":1,"a":[1.5e-7,"\u003c<é\"",true,null,{"x":{}}],"":[[]]}`,
	} {
		n, err := parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse([]byte(n.String()))
		if err != nil || len(diff(nil, "", n, again)) > 0 || again.String() != n.String() {
			t.Errorf("%s became %s", text, n)
		}
	}
	for _, text := range []string{``, `{`, `{} {}`, `{"a"}`, `[1,]`, `{"a":1]`, `}`} {
		if n, err := parse([]byte(text)); err == nil {
			t.Errorf("%s is read as %s", text, n)
		}
	}
}

func TestAnotherRunIsRefused(t *testing.T) {
	file := makeJournal(t, Config{}, theBatches)
	before := contents(t, file)
	for about, c := range map[string]struct {
		change func(h *Header)
		want   string
	}{
		"seed": {func(h *Header) { h.About = bytes.Replace(h.About, []byte(`"Seed":1`), []byte(`"Seed":2`), 1) },
			"Options.Seed is 1 in the journal and 2 now"},
		"dimension": {func(h *Header) { h.Dim = 4 }, "Dim is 3 in the journal and 4 now"},
		"much": {func(h *Header) {
			h.About = []byte(`{"a":1,"b":1,"c":1,"d":1,"e":1,"Options":{"Budget":1}}`)
		}, "; and 2 more:"},
		"numerics": {func(h *Header) { h.Numerics = 2 }, "can be read, exported and started from, not resumed"},
	} {
		h := theHeader()
		c.change(&h)
		_, err := Open(Config{File: file}, h)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", about, err)
		}
		var differs *DiffersError
		var numerics *NumericsError
		if !errors.As(err, &differs) && !errors.As(err, &numerics) {
			t.Errorf("%s: %#v", about, err)
		}
	}
	if !bytes.Equal(before, contents(t, file)) {
		t.Error("the file was changed")
	}
	mustOpen(t, Config{File: file}) // no lock is left behind
}

func TestFreePartsMayDiffer(t *testing.T) {
	file := makeJournal(t, Config{}, theBatches)
	h := theHeader()
	h.About = bytes.Replace(h.About, []byte("100"), []byte("200"), 1)
	j, err := Open(Config{File: file}, h)
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, j)
	if want := theHeader(); !bytes.Equal(j.Header().About, want.About) {
		t.Errorf("the planned budget became another: %s", j.Header().About)
	}
}

func TestWhatIsAcceptedIsRecorded(t *testing.T) {
	file := makeJournal(t, Config{}, theBatches)
	now := theHeader()
	now.About = []byte(`{"Objective":{"Exec":"./new","Digest":"bb","Size":7},"Options":{"Seed":1,"Budget":999}}`)
	if _, err := Open(Config{File: file, Accept: []string{"Objective.Exec"}}, now); err == nil ||
		!strings.Contains(err.Error(), "Objective.Digest") || strings.Contains(err.Error(), "Exec") {
		t.Fatalf("only a part was accepted: %v", err)
	}
	var notes []string
	j, err := Open(Config{File: file, Accept: []string{"Objective"}, Note: func(n string) { notes = append(notes, n) }}, now)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"Objective":{"Exec":"./new","Digest":"bb","Size":7},"Options":{"Seed":1,"Budget":100}}`
	if string(j.Header().About) != want || len(notes) != 3 {
		t.Errorf("%s, %q", j.Header().About, notes)
	}
	runAll(t, j.Wrap(&function{}), append(theBatches[:len(theBatches):len(theBatches)], 3))
	mustClose(t, j)
	s, err := Read(file, nil)
	if err != nil || string(s.About) != want || s.Queries != theQueries+3 || s.Began.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	if j, err = Open(Config{File: file}, now); err != nil {
		t.Fatal(err)
	}
	o := j.Wrap(&function{})
	runAll(t, o, append(theBatches[:len(theBatches):len(theBatches)], 3))
	if o.Resumed() != theQueries+3 {
		t.Errorf("resumed %d", o.Resumed())
	}
	mustClose(t, j)
	if _, err := Open(Config{File: file}, theHeader()); err == nil {
		t.Error("the old program is taken again")
	}
}

func TestGraft(t *testing.T) {
	for _, c := range []struct{ now, was, path, want string }{
		{`{"a":1,"b":2}`, `{"a":3,"b":4}`, "b", `{"a":1,"b":4}`},
		{`{"a":1,"b":2}`, `{"a":3}`, "b", `{"a":1}`},
		{`{"a":1}`, `{"b":2}`, "b", `{"a":1,"b":2}`},
		{`{"a":[{"x":1},{"x":2}]}`, `{"a":[{"x":3},{"x":4}]}`, "a[1].x", `{"a":[{"x":1},{"x":4}]}`},
		{`{"a":[1,2]}`, `{"a":[1]}`, "a[0]", `{"a":[1,2]}`},
		{`{"ab":1}`, `{"ab":2}`, "a", `{"ab":1}`},
		{`{"a":{"b":1}}`, `{"a":{"b":2}}`, "a", `{"a":{"b":2}}`},
	} {
		now, _ := parse([]byte(c.now))
		was, _ := parse([]byte(c.was))
		if got := graft(now, was, "", []string{c.path}).String(); got != c.want {
			t.Errorf("%s, %s, %s: %s", c.now, c.was, c.path, got)
		}
	}
}

// A journal without a query has nothing to lose: another run begins it anew.
func TestAnEmptyJournalIsBegunAnew(t *testing.T) {
	for about, change := range map[string]func(*Header){
		"settings": func(h *Header) { h.About = bytes.Replace(h.About, []byte(`"Seed":1`), []byte(`"Seed":2`), 1) },
		"numerics": func(h *Header) { h.Numerics++ },
	} {
		file := makeJournal(t, Config{}, nil)
		h := theHeader()
		change(&h)
		j, err := Open(Config{File: file}, h)
		if err != nil {
			t.Fatalf("%s: %v", about, err)
		}
		if got := j.Header(); !bytes.Equal(got.About, h.About) || got.Numerics != h.Numerics {
			t.Errorf("%s: the header is %v", about, got)
		}
		mustClose(t, j)
	}
}
