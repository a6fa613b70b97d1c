package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/pflag"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

var (
	errNotCount = errors.New("must be a whole number of at least 1")
	errTooLarge = fmt.Errorf("must be a whole number of at most %d", math.MaxInt)
)

// wholeNumber reads a whole number of at least 1 in any form that strconv.ParseFloat takes,
// exactly, but for underscores between digits.
func wholeNumber(s string) (int, error) {
	if n, err := strconv.Atoi(s); err == nil && n >= 1 {
		return n, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case v > math.MaxInt && (err == nil || errors.Is(err, strconv.ErrRange)):
		return 0, errTooLarge
	case err != nil, math.IsNaN(v), v < 1, strings.Contains(s, "_"):
		return 0, errNotCount
	}
	exact, ok := new(big.Rat).SetString(s)
	switch {
	case !ok, !exact.IsInt():
		return 0, errNotCount
	case !exact.Num().IsInt64(), exact.Num().Int64() > math.MaxInt:
		return 0, errTooLarge
	}
	return int(exact.Num().Int64()), nil
}

// registerIdentifier registers --identifier, and --road, as it was called before.
func registerIdentifier(flags *pflag.FlagSet, name *string, usual, text string) {
	flags.StringVar(name, "identifier", usual, text)
	flags.StringVar(name, "road", usual, text)
	flags.Lookup("road").Hidden = true
}

// road returns the identifier that the flag --identifier names, nil if it was not given.
func road(name string) (identify.Identifier, error) {
	if name == "" {
		return nil, nil
	}
	return identify.Named(name)
}

// parseBox reads LO:HI, the same for every coordinate, or a file with one
// "LO HI" line for each. An empty string is no box.
func parseBox(s string, dim int) (objective.Box, error) {
	if s == "" {
		return objective.Box{}, nil
	}
	lo, hi, colon := strings.Cut(s, ":")
	l, errL := strconv.ParseFloat(lo, 64)
	h, errH := strconv.ParseFloat(hi, 64)
	if colon && errL == nil && errH == nil {
		return objective.Cube(dim, l, h), nil
	}
	rows, err := readRows(s, parseNumbers)
	if colon && errors.Is(err, os.ErrNotExist) {
		return objective.Box{}, fmt.Errorf("%q is not LO:HI with two numbers", s)
	}
	if err != nil {
		return objective.Box{}, fmt.Errorf("%q is neither LO:HI nor a file with one \"LO HI\" line for each coordinate: %w", s, err)
	}
	var box objective.Box
	for i, row := range rows {
		if len(row) != 2 {
			return box, fmt.Errorf("%q: row %d has %s, need two: LO and HI", s, i+1, words.Count(len(row), "number", "numbers"))
		}
		box.Lo, box.Hi = append(box.Lo, row[0]), append(box.Hi, row[1])
	}
	if len(rows) != dim {
		return box, fmt.Errorf("%q: %s for %s", s, words.Count(len(rows), "line", "lines"), words.Count(dim, "coordinate", "coordinates"))
	}
	return box, nil
}

// parsePoints reads points, each given as "V,V,…" or as a file with a point on
// each line.
func parsePoints(given []string, space parameter.Space) ([][]float64, error) {
	dim, read := len(space), func(s string) ([]float64, error) { return parsePoint(s, space) }
	var points [][]float64
	for _, s := range given {
		rows := [][]float64{nil}
		var err error
		if rows[0], err = read(s); err != nil {
			asPoint := err
			if rows, err = readRows(s, read); errors.Is(err, os.ErrNotExist) && strings.Contains(s, ",") && hasChoices(space) {
				return nil, asPoint // which is no file
			} else if err != nil {
				return nil, fmt.Errorf("%q is neither numbers V,V,… nor a file with a point on each line: %w", s, err)
			}
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("%q has no points", s)
		}
		for _, row := range rows {
			if len(row) != dim {
				return nil, fmt.Errorf("%q: a point of %s for %s", s, words.Count(len(row), "number", "numbers"), words.Count(dim, "coordinate", "coordinates"))
			}
		}
		points = append(points, rows...)
	}
	return points, nil
}

// readRows reads the numbers on each line of a file. Empty lines, and everything after
// a #, are ignored.
func readRows(path string, read func(string) ([]float64, error)) ([][]float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err) // the caller names the path
	}
	defer file.Close()
	var rows [][]float64
	err = eachLine(file, func(n int, line string) error {
		row, err := read(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// eachLine calls do with each line, without what follows a #, unless that is empty, and without the
// byte order mark with which some editors begin a text.
func eachLine(r io.Reader, do func(n int, line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := do(n, line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// hasChoices reports whether words may be in a point.
func hasChoices(space parameter.Space) bool {
	return slices.ContainsFunc(space, func(p parameter.Parameter) bool { return p.Choices != nil })
}

// parsePoint reads a point as parseNumbers reads numbers, with words for choices.
func parsePoint(s string, space parameter.Space) ([]float64, error) {
	if !hasChoices(space) {
		return parseNumbers(s)
	}
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(fields) != len(space) {
		return nil, fmt.Errorf("a point of %s for %s", words.Count(len(fields), "value", "values"), words.Count(len(space), "parameter", "parameters"))
	}
	point := make([]float64, len(space))
	for i, field := range fields {
		v, err := parameter.ReadValue(space[i], field)
		if err != nil {
			return nil, err
		}
		point[i] = v
	}
	return point, nil
}

// parseNumbers reads numbers separated by commas, white space or both.
func parseNumbers(s string) ([]float64, error) {
	var numbers []float64
	for _, part := range strings.Split(s, ",") {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			return nil, errors.New("a number is missing")
		}
		for _, field := range fields {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("%q is not a number", field)
			}
			numbers = append(numbers, v)
		}
	}
	return numbers, nil
}
