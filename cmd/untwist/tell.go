package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/words"
)

// tellCommand takes values.
func tellCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tell RUN.journal",
		Short: "Tell the values of points that ask has printed",
		Long: `Read values from standard input, a line for each: the ID that ask has printed, and the value of
f there, or nan if f failed; an infinity is a failure too. Empty lines and what follows a # are ignored. The values may come
in any order, some now and others later.

When tell ends with status 0, all values are in the journal and on the disk. Telling a value
again does no harm: the first counts. If a line is wrong, the status is 1, and the values of
all other lines are kept.`,
		Example: `  echo "17 0.25" | untwist tell run.journal
  untwist tell run.journal < values.txt`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s takes one file, the journal of a run, and reads values from standard input", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return tellValues(cmd, args[0]) },
	}
}

// tellValues tells a run the values of standard input.
func tellValues(cmd *cobra.Command, file string) error {
	say := func(line string) { note(cmd, "%s", line) }
	told, wrong, err := readValues(cmd.InOrStdin())
	if err != nil {
		return fmt.Errorf("standard input cannot be read, and nothing was kept: %w", err)
	}
	talk, err := recall(file, say)
	if err != nil {
		return err
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
		var failures *untwist.FailuresError
		if err != nil && !errors.Is(err, errPaused) && !errors.As(err, &failures) { // a run that failed has kept its values
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

// readValues reads lines of an ID and a value, and returns what is wrong with others.
func readValues(r io.Reader) (told map[int]float64, wrong []string, err error) {
	told = map[int]float64{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(withoutMark(n, lines.Text()), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		id, err := strconv.Atoi(fields[0])
		v := 0.
		ok := err == nil && id > 0 && len(fields) == 2
		if ok {
			v, err = strconv.ParseFloat(fields[1], 64)
			ok = err == nil || errors.Is(err, strconv.ErrRange)
		}
		if !ok {
			wrong = append(wrong, fmt.Sprintf("line %d is %q, not ID VALUE or ID nan", n, cutShort(strings.TrimSpace(line))))
			continue
		}
		if before, again := told[id]; again && !alike(before, v) {
			wrong = append(wrong, fmt.Sprintf("line %d has another value for %d than a line before it", n, id))
			continue
		}
		if math.IsInf(v, -1) { // f failed there, as where a program prints it
			v = math.NaN()
		}
		told[id] = v
	}
	return told, wrong, lines.Err()
}

// cutShort cuts a line that is long.
func cutShort(line string) string {
	if len(line) > 60 {
		return line[:60] + "…"
	}
	return line
}

// alike reports whether two values are the same to a run: all failures are.
func alike(a, b float64) bool {
	failed := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	return a == b || failed(a) && failed(b)
}

// known looks for values in the journal that the run has not taken. It returns what is wrong
// with those that are not there. If the run has another value, that counts, and a line says so.
func known(file string, told map[int]float64, say func(string)) (wrong []string, err error) {
	if len(told) == 0 {
		return nil, nil
	}
	var others []journal.Query
	_, err = journal.Read(file, func(q journal.Query) error {
		if v, ok := told[q.Number]; ok {
			delete(told, q.Number)
			if !alike(v, q.Value) {
				others = append(others, journal.Query{Number: q.Number})
			}
		}
		return nil
	})
	if err != nil {
		return nil, unwrapped(err)
	}
	slices.SortFunc(others, func(a, b journal.Query) int { return cmp.Compare(a.Number, b.Number) })
	switch n := len(others); {
	case n == 1:
		say(fmt.Sprintf("%d has been told before, with another value: the first counts", others[0].Number))
	case n > 1:
		say(fmt.Sprintf("%s, the first of them %d, have been told before, with other values: the first count", words.Count(n, "ID", "IDs"), others[0].Number))
	}
	var ids []int
	for id := range told {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		wrong = append(wrong, fmt.Sprintf("%d was not asked for", id))
	}
	return wrong, nil
}
