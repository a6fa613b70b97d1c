package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/words"
)

func tellCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tell RUN.journal",
		Short: "Tell the values of points that ask has printed",
		Args:  takes(1, 1, "one file, the journal of a run, and reads values from standard input"),
		RunE:  func(cmd *cobra.Command, args []string) error { return tellValues(cmd, args[0]) },
	}
}

// tellValues tells a run the values of standard input.
func tellValues(cmd *cobra.Command, file string) error {
	say := func(line string) { note(cmd, "%s", line) }
	talk, err := recall(file, say)
	if err != nil {
		return err
	}
	told, wrong, err := readValues(cmd.InOrStdin(), max(talk.numbers(), 1))
	if err != nil {
		return fmt.Errorf("standard input cannot be read, and nothing was kept: %w", err)
	}
	ctx, stop := untilSignal()
	defer stop()
	if len(told) > 0 {
		_, err := talk.play(ctx, func(_ *journal.Journal, q question) error {
			n, _ := q.points.Dims()
			for i := range n {
				if v, ok := told[q.number(i)]; ok {
					q.tell(i, v)
					delete(told, q.number(i))
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errPaused) && !errors.As(err, new(*untwist.FailuresError)) { // a run that failed has kept its values
			return err
		}
	}
	more, err := known(file, told, say)
	if err != nil {
		return err
	}
	if wrong = append(wrong, more...); len(wrong) > 0 {
		const most = 3
		text := strings.Join(wrong[:min(most, len(wrong))], "; ")
		if n := len(wrong) - most; n > 0 {
			text += "; and " + words.Count(n, "line", "lines") + " more"
		}
		return fmt.Errorf("%s; everything else is kept", text)
	}
	return nil
}

// readValues reads lines of an ID and so many numbers, or nan alone, and returns what is wrong with others.
func readValues(r io.Reader, width int) (told map[int][]float64, wrong []string, err error) {
	told = map[int][]float64{}
	err = eachLine(r, func(n int, line string) error {
		id, numbers, ok := readAnswer(strings.Fields(line), width)
		switch before, again := told[id]; {
		case !ok && width > 1:
			wrong = append(wrong, fmt.Sprintf("line %d is %q, not ID and %d numbers, or ID nan", n, cutShort(strings.TrimSpace(line)), width))
		case !ok:
			wrong = append(wrong, fmt.Sprintf("line %d is %q, not ID VALUE or ID nan", n, cutShort(strings.TrimSpace(line))))
		case again && !alike(before, numbers):
			wrong = append(wrong, fmt.Sprintf("line %d has another value for %d than a line before it", n, id))
		default:
			told[id] = numbers
		}
		return nil
	})
	return told, wrong, err
}

// readAnswer reads an ID and so many numbers. One that is not finite is a failure: all are NaN then.
func readAnswer(fields []string, width int) (id int, numbers []float64, ok bool) {
	if len(fields) != width+1 && len(fields) != 2 {
		return 0, nil, false
	}
	id, err := strconv.Atoi(fields[0])
	if err != nil || id < 1 {
		return 0, nil, false
	}
	failed := false
	for _, text := range fields[1:] {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, nil, false
		}
		failed = failed || math.IsNaN(v) || math.IsInf(v, 0)
		numbers = append(numbers, v)
	}
	switch {
	case failed && width == 1 && math.IsInf(numbers[0], 1):
		return id, numbers, true
	case failed:
		return id, slices.Repeat([]float64{math.NaN()}, width), true
	}
	return id, numbers, len(numbers) == width
}

// cutShort cuts a line that is long.
func cutShort(line string) string {
	if len(line) > 60 {
		return line[:60] + "…"
	}
	return line
}

// alike reports whether two answers are the same to a run: all failures are.
func alike(a, b []float64) bool {
	failed := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	return slices.Equal(a, b) || slices.ContainsFunc(a, failed) && slices.ContainsFunc(b, failed)
}

// known looks for values in the journal that the run has not taken. It returns what is wrong
// with those that are not there. If the run has another value, that counts, and a line says so.
func known(file string, told map[int][]float64, say func(string)) (wrong []string, err error) {
	if len(told) == 0 {
		return nil, nil
	}
	var others []int
	_, err = journal.Read(file, func(q journal.Query) error {
		if v, ok := told[q.Number]; ok {
			delete(told, q.Number)
			if now := cmp.Or(len(q.Numbers), 1); !alike(v, append(slices.Clone(q.Numbers), q.Value)[:now]) {
				others = append(others, q.Number)
			}
		}
		return nil
	})
	if err != nil {
		return nil, unwrapped(err)
	}
	slices.Sort(others)
	switch n := len(others); {
	case n == 1:
		say(fmt.Sprintf("%d has been told before, with another value: the first counts", others[0]))
	case n > 1:
		say(fmt.Sprintf("%s, the first of them %d, have been told before, with other values: the first count", words.Count(n, "ID", "IDs"), others[0]))
	}
	for _, id := range slices.Sorted(maps.Keys(told)) {
		wrong = append(wrong, fmt.Sprintf("%d was not asked for", id))
	}
	return wrong, nil
}
