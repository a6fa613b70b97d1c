package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/untwist/untwist"
)

// A painting is the page at one moment. It does not change any more.
type painting struct {
	number int    // of paintings
	parts  []part // in the order of the page
	final  bool
}

// A part is an element of the page.
type part struct {
	id     string
	html   []byte
	quoted []byte // as JSON
	number int    // of the painting in which it was new
}

// An easel keeps the last painting. All viewers get the same.
type easel struct {
	mu     sync.Mutex
	last   *painting // nil: nobody has looked yet
	change uint64    // of the state that it shows
	begun  bool      // a batch was complete
	learnt *untwist.Structure
	at     time.Time
	costs  [3]time.Duration // of the last paintings of what changes
}

// share is how much of a second may be spent on what viewers see. As much again is left for
// sending it and for the memory it took, so that a viewer costs 0.2 ms a second at most.
const share = 0.1e-3

// longest is the longest time between two paintings.
const longest = 30 * time.Second

// pace is how long a painting lasts: at least as long as it takes to make up for what it has
// cost. Of the last costs the least counts: others may have had the processor in between.
func (e *easel) pace() time.Duration {
	least := slices.Min(e.costs[:])
	return min(max(shortest, time.Duration(float64(least)/share)), longest)
}

// look returns the page as it is now, or was a moment ago.
func (s *Server) look() (*painting, error) {
	e := &s.easel
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last != nil && (e.last.final || e.change == s.state.change()) {
		return e.last, nil
	}
	state, final, change := s.state.now()
	if e.last != nil && final == nil && time.Since(e.at) < e.pace() {
		return e.last, nil
	}
	if err := s.paint(state, final); err != nil {
		return e.last, err
	}
	e.change, e.at = change, time.Now()
	return e.last, nil
}

// paint makes a painting. A page that cannot be made must not end the run.
func (s *Server) paint(state State, final Page) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the page cannot be made: %v", cause)
		}
	}()
	e := &s.easel
	began := time.Now()
	page := final
	if page == nil {
		page = s.config.Page(state)
	}
	next := &painting{number: 1, final: final != nil}
	if e.last != nil {
		next.number = e.last.number + 1
	}
	begun, learnt := state.Result.Queries > 0, state.Result.Structure
	same := e.last != nil && e.begun == begun && e.learnt == learnt
	if final == nil && same {
		next.parts = slices.Clone(e.last.parts)
		err = next.put(page.WriteChanging)
	} else {
		err = next.whole(e.last, page)
	}
	if err != nil {
		return err
	}
	if final == nil && same { // what is new once is not counted
		copy(e.costs[1:], e.costs[:])
		e.costs[0] = time.Since(began)
	}
	e.last, e.begun, e.learnt = next, begun, learnt
	return nil
}

// put puts elements into their places. An element that has none comes behind the one before
// it.
func (p *painting) put(write func(io.Writer) error) error {
	var all bytes.Buffer
	if err := write(&all); err != nil {
		return err
	}
	place := 0
	for id, html := range elements(all.Bytes()) {
		i := slices.IndexFunc(p.parts, func(q part) bool { return q.id == id })
		if i < 0 {
			i = place
			p.parts = slices.Insert(p.parts, i, part{id: id})
		}
		p.parts[i].set(html, p.number)
		place = i + 1
	}
	if len(p.parts) == 0 {
		return errors.New("the page is empty")
	}
	return nil
}

// elements are the elements of a page with their ids.
func elements(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for {
			begin, tag := len(text), ""
			for _, t := range []string{"header", "section"} {
				if i := bytes.Index(text, []byte("<"+t+` id="`)); i >= 0 && i < begin {
					begin, tag = i, t
				}
			}
			end := bytes.Index(text[begin:], []byte("</"+tag+">"))
			if tag == "" || end < 0 {
				return
			}
			html := text[begin : begin+end+len(tag)+3]
			id, _, _ := bytes.Cut(html[len(tag)+6:], []byte(`"`))
			if !yield(string(id), html) {
				return
			}
			text = text[begin+len(html):]
		}
	}
}

// whole paints the whole page. What is as it was keeps its number.
func (p *painting) whole(last *painting, page Page) error {
	if err := p.put(page.WriteMain); err != nil || last == nil {
		return err
	}
	for i, q := range p.parts {
		k := slices.IndexFunc(last.parts, func(l part) bool { return l.id == q.id })
		if k >= 0 && bytes.Equal(last.parts[k].html, q.html) {
			p.parts[i] = last.parts[k]
		}
	}
	return nil
}

// set sets what an element is, if it has changed.
func (q *part) set(html []byte, number int) {
	if !bytes.Equal(q.html, html) {
		q.html, q.quoted, q.number = html, quoted(string(html)), number
	}
}

// quoted returns a value as JSON. Its letters stay as they are, since it is no part of HTML as it
// is sent.
func quoted(v any) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	_ = to.Encode(v) // what we send is never refused
	return bytes.TrimSpace(b.Bytes())
}

// event returns what is new since an earlier painting, as a server-sent event.
func (p *painting) event(since int) []byte {
	var order []string
	parts := map[string]json.RawMessage{}
	for _, q := range p.parts {
		order = append(order, q.id)
		if q.number > since {
			parts[q.id] = q.quoted
		}
	}
	return fmt.Appendf(nil, "id: %d\nevent: page\ndata: %s\n\n", p.number, quoted(map[string]any{"order": order, "parts": parts, "over": p.final}))
}
