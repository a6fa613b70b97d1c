package journal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A free member of the header can be set again and again, between batches and within one. The
// last value counts, a run that does not know it goes on, and no answer is lost.
func TestAmend(t *testing.T) {
	c := Config{File: inFolder(t)}
	h := theHeader()
	h.Free = append(h.Free, "Leases")
	var opened *Journal
	c.Opened = func(j *Journal) error { opened = j; return nil }
	j, err := Open(c, h)
	if err != nil || opened != j {
		t.Fatalf("opened %p, %p; error %v", opened, j, err)
	}
	amend := func(value string) {
		t.Helper()
		if err := j.Amend("Leases", []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	amend(`[1,2]`)
	f := &function{order: func(n int) []int { amend(`[` + strings.Repeat("9,", n) + `9]`); return backwards(n) }}
	runAll(t, j.Wrap(f), theBatches)
	amend(`{"until":3}`)
	before := len(contents(t, c.File))
	amend(`{ "until": 3 }`)
	if after := len(contents(t, c.File)); after != before {
		t.Errorf("%d bytes were written to say the same", after-before)
	}
	if err := j.Amend("Seed", []byte("2")); err == nil {
		t.Error("what decides the run was amended")
	}
	if err := j.Amend("Leases", []byte("{")); err == nil {
		t.Error("what is no JSON was taken")
	}
	mustClose(t, j)
	if err := j.Amend("Leases", nil); err == nil {
		t.Error("a closed journal was amended")
	}
	want := strings.TrimSuffix(string(theHeader().About), "}") + `,"Leases":{"until":3}}`
	if s, err := Read(c.File, nil); err != nil || string(s.About) != want || s.Queries != theQueries || len(mustRead(t, c.File)) != theQueries {
		t.Errorf("%+v, %v", s, err)
	}
	if j, err = Open(c, h); err != nil {
		t.Fatal(err)
	}
	o := j.Wrap(&function{})
	runAll(t, o, theBatches)
	if o.Resumed() != theQueries || string(j.Header().About) != want {
		t.Errorf("resumed %d, %s", o.Resumed(), j.Header().About)
	}
	if err := j.Amend("Leases", nil); err != nil || string(j.Header().About) != string(theHeader().About) {
		t.Errorf("%v, %s", err, j.Header().About)
	}
	mustClose(t, j)
}

// A journal without an answer is begun anew for another run, unless it was amended: then somebody
// counts on it.
func TestAmendedIsKept(t *testing.T) {
	for _, amended := range []bool{false, true} {
		c := Config{File: inFolder(t)}
		h := theHeader()
		h.Free = append(h.Free, "Asked")
		j, err := Open(c, h)
		if err != nil {
			t.Fatal(err)
		}
		if amended {
			if err := j.Amend("Asked", []byte("9")); err != nil {
				t.Fatal(err)
			}
		}
		mustClose(t, j)
		before := contents(t, c.File)
		h.About = []byte(`{"Objective":{"Exec":"./another"}}`)
		j, err = Open(c, h)
		if differs := new(*DiffersError); errors.As(err, differs) != amended {
			t.Errorf("amended: %v, error %v", amended, err)
		}
		if err == nil {
			mustClose(t, j)
		}
		if kept := bytes.Equal(before, contents(t, c.File)); kept != amended {
			t.Errorf("amended: %v, kept: %v", amended, kept)
		}
	}
}

// If the one who waits for the journal does not want it, it is closed.
func TestOpenedRefuses(t *testing.T) {
	c := Config{File: inFolder(t)}
	no := errors.New("no")
	c.Opened = func(*Journal) error { return no }
	if _, err := Open(c, theHeader()); !errors.Is(err, no) {
		t.Errorf("error %v", err)
	}
	c.Opened = nil
	mustClose(t, mustOpen(t, c))
}
