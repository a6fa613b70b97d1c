package main

import (
	"fmt"
	"math"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/words"
)

// readAbout reads a header, as far as it can be read. Journals of older versions may say less, and
// what cannot be read is not shown.
func readAbout(h journal.Header) decided {
	d, err := readDecided(h)
	if err != nil {
		d.Parameters = nil
	}
	return d
}

// function returns in words what was evaluated.
func (d decided) function() string {
	var exec []string
	if list, ok := d.Objective["Exec"].([]any); ok {
		for _, w := range list {
			exec = append(exec, quoted(fmt.Sprint(w)))
		}
	}
	if len(exec) > 0 {
		return fmt.Sprintf("%s (protocol %v)", strings.Join(exec, " "), d.Objective["Protocol"])
	}
	if name, _ := d.Objective["Name"].(string); name != "" {
		text := fmt.Sprintf("%s, %v dimensions, %v components", name, d.Objective["Dim"], d.Objective["Components"])
		if mix, _ := d.Objective["Mix"].(string); mix != "" {
			text += ", mix " + mix
		}
		for _, name := range []string{"BlockCount", "Entries", "Permute"} {
			if v := d.Objective[name]; v != nil {
				text += fmt.Sprintf(", %s %v", strings.TrimSuffix(strings.ToLower(name), "count"), v)
			}
		}
		text += fmt.Sprintf(", seed %v", d.Objective["Seed"])
		if options, _ := d.Objective["Options"].(string); options != "" {
			text += ", " + options
		}
		return text
	}
	if d.Objective == nil && d.Asked != nil {
		return "values that untwist tell is told"
	}
	if name, _ := d.Objective["Function"].(string); name != "" {
		arguments, _ := d.Objective["Arguments"].(string)
		return "the function " + name + arguments
	}
	return flat(d.Objective)
}

// harmless is what no shell changes within a word, although it looks special.
var harmless = regexp.MustCompile(`\{\w+\}|=`)

// quoted quotes a word of a command where a shell would change it.
func quoted(word string) string {
	if bare := harmless.ReplaceAllString(word, "_"); program.Quote([]string{bare}) == bare {
		return word
	}
	return program.Quote([]string{word})
}

// lines returns the parameters in words, a line each.
func (d decided) lines() (lines []string) {
	for _, p := range d.Parameters {
		line := p.Name
		if p.Unit != "" {
			line += " [" + p.Unit + "]"
		}
		for _, v := range []struct {
			name  string
			value *float64
		}{{"min", p.Min}, {"max", p.Max}, {"low", p.Low}, {"high", p.High}, {"guess", p.Guess}, {"fixed", p.Fixed}} {
			if v.value != nil {
				line += fmt.Sprintf(" %s %v", v.name, *v.value)
			}
		}
		if p.Log {
			line += " log"
		}
		lines = append(lines, line)
	}
	return lines
}

// flat writes an object as "key value", in alphabetical order, without what is empty and
// without lists, which may be long.
func flat(object map[string]any) string {
	var parts []string
	for key, value := range object {
		key = strings.ToLower(key)
		switch v := value.(type) {
		case nil, []any:
		case map[string]any: // a type with its settings
			if kind, _ := v["type"].(string); kind != "" {
				parts = append(parts, key+" "+typeName(kind))
			}
		case float64:
			text := fmt.Sprint(v)
			if v == math.Trunc(v) && math.Abs(v) < 1e15 {
				text = words.Thousands(int(v))
			}
			parts = append(parts, key+" "+text)
		default:
			parts = append(parts, fmt.Sprintf("%s %v", key, v))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// typeName returns the name of a type for people. A strategy has the name of its flag.
func typeName(kind string) string {
	for _, name := range untwist.Strategies() {
		if s, err := untwist.StrategyNamed(name, untwist.Knobs{}); err == nil {
			if t := reflect.TypeOf(s); t.PkgPath()+"."+t.Name() == kind {
				return name
			}
		}
	}
	return path.Base(kind)
}
