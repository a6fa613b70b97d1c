package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/words"
)

// An about is what the header of a journal says, as far as it can be read. Journals of
// older versions may say less.
type about struct {
	objective  map[string]any
	parameters parameter.Space
	options    map[string]any // everything else, except what is long
}

// readAbout reads a header. What cannot be read is not shown.
func readAbout(h journal.Header) (a about) {
	var parts map[string]json.RawMessage
	if json.Unmarshal(h.About, &parts) != nil || json.Unmarshal(h.About, &a.options) != nil {
		return about{}
	}
	_ = json.Unmarshal(parts["Objective"], &a.objective)
	if json.Unmarshal(parts["Parameters"], &a.parameters) != nil {
		a.parameters = nil
	}
	for _, key := range []string{"Objective", "Parameters", "Start", "Bounds", "Frame", "Blocks", "Dim", "Numerics"} {
		delete(a.options, key)
	}
	return a
}

// names returns the names of the parameters, nil if they have none.
func (a about) names() []string {
	if len(a.parameters) == 0 {
		return nil
	}
	return a.parameters.Names()
}

// function returns in words what was evaluated.
func (a about) function() string {
	var exec []string
	if list, ok := a.objective["Exec"].([]any); ok {
		for _, w := range list {
			exec = append(exec, quoted(fmt.Sprint(w)))
		}
	}
	if len(exec) > 0 {
		return fmt.Sprintf("%s (protocol %v)", strings.Join(exec, " "), a.objective["Protocol"])
	}
	if name, _ := a.objective["Name"].(string); name != "" {
		text := fmt.Sprintf("%s, %v dimensions, %v components", name, a.objective["Dim"], a.objective["Components"])
		if mix, _ := a.objective["Mix"].(string); mix != "" {
			text += ", mix " + mix
		}
		text += fmt.Sprintf(", seed %v", a.objective["Seed"])
		if options, _ := a.objective["Options"].(string); options != "" {
			text += ", " + options
		}
		return text
	}
	if a.objective == nil && a.options["Asked"] != nil {
		return "values that untwist tell is told"
	}
	if name, _ := a.objective["Function"].(string); name != "" {
		arguments, _ := a.objective["Arguments"].(string)
		return "the function " + name + arguments
	}
	return flat(a.objective)
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
func (a about) lines() (lines []string) {
	for _, p := range a.parameters {
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

// budget returns the budget that was planned, 0 if it is not known.
func (a about) budget() int {
	v, _ := a.options["Budget"].(float64)
	return int(v)
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
