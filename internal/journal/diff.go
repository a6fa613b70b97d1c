package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/words"
)

// A Difference is a place at which two JSON texts differ.
type Difference struct {
	Path     string // such as Parameters[0].Name
	Was, Now string // as JSON or in words; "": there is none
}

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s in the journal and %s now", d.Path, shown(d.Was), shown(d.Now))
}

// shown returns JSON for people.
func shown(text string) string {
	const most = 60
	if text == "" {
		return "not set"
	}
	return words.Cut(text, most)
}

// Diff returns where two JSON texts differ, in the order of the first. Texts that are not
// JSON differ as a whole.
func Diff(was, now []byte) []Difference {
	a, errA := parse(was)
	b, errB := parse(now)
	if errA != nil || errB != nil {
		if bytes.Equal(was, now) {
			return nil
		}
		return []Difference{{"the header", string(was), string(now)}}
	}
	return diff(nil, "", a, b)
}

func diff(all []Difference, path string, a, b *node) []Difference {
	switch {
	case a == nil && b == nil:
	case a == nil || b == nil || a.kind != b.kind || a.kind == scalar && a.text != b.text:
		all = append(all, Difference{path, a.String(), b.String()})
	case a.kind == object:
		for i, key := range a.keys {
			all = diff(all, under(path, key), a.kids[i], b.kid(key))
		}
		for i, key := range b.keys {
			if a.kid(key) == nil {
				all = diff(all, under(path, key), nil, b.kids[i])
			}
		}
	case a.kind == array:
		if len(a.kids) != len(b.kids) {
			count := func(n *node) string { return words.Count(len(n.kids), "entry", "entries") + " long" }
			all = append(all, Difference{path, count(a), count(b)})
		}
		for i := range min(len(a.kids), len(b.kids)) {
			all = diff(all, fmt.Sprintf("%s[%d]", path, i), a.kids[i], b.kids[i])
		}
	}
	return all
}

// under returns the path of an object's member.
func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// covered reports whether a path is one of the given ones, or below one.
func covered(path string, by []string) bool {
	return slices.ContainsFunc(by, func(p string) bool {
		rest, ok := strings.CutPrefix(path, p)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// graft returns now with the parts at the given paths as they were.
func graft(now, was *node, path string, paths []string) *node {
	switch {
	case covered(path, paths):
		return was
	case now == nil || was == nil || now.kind != was.kind:
		return now
	case now.kind == array && len(now.kids) == len(was.kids):
		grafted := &node{kind: array}
		for i := range now.kids {
			grafted.kids = append(grafted.kids, graft(now.kids[i], was.kids[i], fmt.Sprintf("%s[%d]", path, i), paths))
		}
		return grafted
	case now.kind != object:
		return now
	}
	grafted := &node{kind: object}
	put := func(key string, kid *node) {
		if kid != nil {
			grafted.keys, grafted.kids = append(grafted.keys, key), append(grafted.kids, kid)
		}
	}
	for i, key := range now.keys {
		put(key, graft(now.kids[i], was.kid(key), under(path, key), paths))
	}
	for i, key := range was.keys {
		if now.kid(key) == nil {
			put(key, graft(nil, was.kids[i], under(path, key), paths))
		}
	}
	return grafted
}

// A node is a JSON value whose members keep their order.
type node struct {
	kind kind
	text string   // of a scalar
	keys []string // of an object
	kids []*node  // of an object or array
}

type kind byte

const (
	scalar kind = iota
	object
	array
)

// kid returns the member of an object, or nil.
func (n *node) kid(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.kids[i]
	}
	return nil
}

// set sets the member of an object, in its place or at the end; nil removes it.
func (n *node) set(key string, kid *node) {
	i := slices.Index(n.keys, key)
	switch {
	case i < 0 && kid != nil:
		n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
	case i >= 0 && kid != nil:
		n.kids[i] = kid
	case i >= 0:
		n.keys, n.kids = slices.Delete(n.keys, i, i+1), slices.Delete(n.kids, i, i+1)
	}
}

// String returns the node as JSON, "" for nil.
func (n *node) String() string {
	if n == nil {
		return ""
	}
	kids := make([]string, len(n.kids))
	for i, kid := range n.kids {
		if kids[i] = kid.String(); n.kind == object {
			kids[i] = literal(n.keys[i]) + ":" + kids[i]
		}
	}
	switch n.kind {
	case object:
		return "{" + strings.Join(kids, ",") + "}"
	case array:
		return "[" + strings.Join(kids, ",") + "]"
	}
	return n.text
}

// literal returns a string, number, boolean or null as JSON.
func literal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("journal: " + err.Error()) // tokens of JSON are JSON
	}
	return string(text)
}

func parse(text []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := parseValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return n, nil
}

func parseValue(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &node{}
	switch token {
	case json.Delim('{'):
		n.kind = object
	case json.Delim('['):
		n.kind = array
	default:
		n.text = literal(token)
		return n, nil
	}
	for d.More() {
		if n.kind == object {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, key.(string))
		}
		kid, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
	_, err = d.Token() // the closing bracket
	return n, err
}
