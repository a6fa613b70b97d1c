package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// readTable reads old evaluations from a CSV file with a line of names, as those of a subject. A
// value that is empty is that of a point that failed.
func readTable(file string, s subject, add func([]float64, objective.Answer)) (hashed bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(len(mark)) // which was read
	}
	lines := csv.NewReader(text)
	header, err := lines.Read()
	if err != nil {
		return false, fmt.Errorf("%s: it has no line of names: %w", file, err)
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	space := s.parameters()
	at, value, err := columnsOf(header, space)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	for {
		row, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", file, err)
		}
		line, _ := lines.FieldPos(0)
		if err := addRow(row, at, value, space, add); err != nil {
			return false, fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
}

// addRow adds the evaluation in a row.
func addRow(row []string, at []int, value int, space parameter.Space, add func([]float64, objective.Answer)) error {
	word := strings.TrimSpace(row[value])
	if word == "" {
		return nil
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("the value is %q, not a number", word)
	}
	point := make([]float64, len(space))
	for i, p := range space {
		if p.Fixed != nil {
			point[i] = *p.Fixed
			continue
		}
		word := strings.TrimSpace(row[at[i]])
		if point[i], err = parameter.ReadValue(p, word); err != nil {
			return err
		}
	}
	add(point, objective.Answer{Value: v})
	return nil
}

// columnsOf finds the columns of the parameters, and that of the values: it is called value, or is
// the only one that is no parameter. Parameters whose names nobody chose may be x1, x2, … or x[0],
// x[1], … there, or all columns but that of the values, in order.
func columnsOf(header []string, space parameter.Space) (at []int, value int, err error) {
	names := space.Names()
	plain := isPlain(names)
	if from0 := countedFrom0(len(names)).Names(); plain && slices.Contains(header, from0[0]) {
		names = from0
	} else if plain {
		names = parameter.Plain(len(names)).Names()
	}
	var others []int // columns that are no parameter
	for j, name := range header {
		if !slices.Contains(names, name) {
			others = append(others, j)
		}
	}
	ordered := plain && len(others) == len(header) && len(header) == len(names)+1
	value = slices.IndexFunc(header, func(name string) bool { return name == "value" && !slices.Contains(names, name) })
	switch {
	case value >= 0:
	case ordered:
		value = len(header) - 1
	case len(others) == 1:
		value = others[0]
	}
	for i, p := range space {
		j := slices.Index(header, names[i])
		if ordered {
			if j = i; i >= value {
				j++
			}
		}
		if j < 0 && p.Fixed == nil {
			return nil, 0, fmt.Errorf("it has no parameter %s; there are %s", names[i], strings.Join(header, ", "))
		}
		at = append(at, j)
	}
	if value < 0 {
		return nil, 0, fmt.Errorf("which column has the values of f? Call it value; there are %s", strings.Join(header, ", "))
	}
	return at, value, nil
}
