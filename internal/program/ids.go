package program

import (
	"fmt"

	"github.com/untwist/untwist/objective"
)

// ids remembers the answers to the last thousands of ids of a process.
type ids struct{ now, before map[int]reply }

const mostIDs = 1 << 14

// hear notes an answer, and reports whether it was given before.
func (m *ids) hear(r reply) (again bool) {
	if _, again = m.of(r.query); again || r.query == 0 {
		return again
	}
	if len(m.now) >= mostIDs || m.now == nil {
		m.now, m.before = map[int]reply{}, m.now
	}
	m.now[r.query] = r
	return false
}

func (m *ids) of(id int) (reply, bool) {
	r, known := m.now[id]
	if !known {
		r, known = m.before[id]
	}
	return r, known
}

// contradicted returns an error if an id was answered otherwise before: nobody knows which
// answer is right.
func (m *ids) contradicted(r reply) error {
	was, again := m.of(r.query)
	if !again || r.query == 0 || was.failure == nil && r.failure == nil && was.value == r.value || was.failure != nil && r.failure != nil {
		return nil
	}
	return &objective.VoidError{First: r.query, Last: r.query, Err: errTwice(was, r)}
}

func errTwice(was, now reply) error {
	text := func(r reply) string {
		if r.failure != nil {
			return "a failure"
		}
		return string(appendNumber(nil, r.value))
	}
	return fmt.Errorf("the program answered the id %d twice, with %s and with %s: it should answer each id once", now.query, text(was), text(now))
}
