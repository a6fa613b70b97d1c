package program

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/untwist/untwist/objective"
)

const (
	// mostOutput is how much of what a program prints is kept: its end.
	mostOutput = 4 << 20
	// mostQuoted is how many characters of a bad answer are shown.
	mostQuoted = 80
)

// A result says where the value of a point is found.
type result struct {
	pattern *regexp.Regexp // its first group, in what was printed; nil: the last number
	file    string         // a path: its first number; "": in what was printed
	name    string         // of the file, for people
}

// read finds the value. empty says that there was nothing at all where it should be.
func (r result) read(printed []byte) (v float64, failure *objective.Failure, empty bool) {
	var (
		ok bool
		at span
	)
	switch {
	case r.file != "":
		text, err := readFront(r.file)
		if err != nil {
			return 0, noNumber("%s %v", r.name, err), true
		}
		if v, at, ok = firstNumber(text); !ok {
			return 0, noNumber("there is no number in %s", r.name), len(text) == 0
		}
		failure = twoReadings(text, at)
	case r.pattern != nil:
		if v, failure = matched(r.pattern, printed); failure != nil {
			return 0, failure, len(printed) == 0
		}
	default:
		if v, at, ok = lastNumber(printed); !ok {
			return 0, nothingPrinted(printed), len(printed) == 0
		}
		failure = twoReadings(printed, at)
	}
	if failure != nil {
		return 0, failure, false
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, notANumber(v), false
	}
	return v, nil, false
}

// matched returns the number in the first group of the last match.
func matched(pattern *regexp.Regexp, printed []byte) (float64, *objective.Failure) {
	matches := pattern.FindAllSubmatch(printed, -1)
	if len(matches) == 0 {
		return 0, noNumber("nothing that was printed matches %s%s", pattern, ending(printed))
	}
	group := matches[len(matches)-1][1]
	v, ok := parseNumber(string(group))
	if !ok {
		return 0, noNumber("%s finds %s, which is not a number", pattern, quoted(group))
	}
	return v, nil
}

// twoReadings is the failure of a value that may be a number with a decimal comma.
func twoReadings(text []byte, at span) *objective.Failure {
	if word := decimalComma(text, at); word != "" {
		return noNumber("%s may be one number or two: print a decimal point, or a space after the comma", quoted([]byte(word)))
	}
	return nil
}

func nothingPrinted(printed []byte) *objective.Failure {
	if len(printed) == 0 {
		return noNumber("nothing was printed")
	}
	return noNumber("no number was printed%s", ending(printed))
}

func noNumber(format string, args ...any) *objective.Failure {
	return &objective.Failure{Kind: objective.NoNumber, Detail: fmt.Sprintf(format, args...)}
}

func notANumber(v float64) *objective.Failure {
	return &objective.Failure{Kind: objective.NotANumber, Detail: fmt.Sprintf("the value is %g", v)}
}

// ending quotes the last line of what was printed.
func ending(printed []byte) string {
	line := lastLine(printed)
	if line == "" {
		return ""
	}
	return "; the last line is " + quoted([]byte(line))
}

// quoted shows a text in quotes, on one line, cut if it is long. Characters that cannot be
// seen are shown as codes, since they may be what is wrong.
func quoted(text []byte) string {
	text = bytes.TrimSpace(text)
	all := []rune(strings.ToValidUTF8(string(text[:min(len(text), 4*mostQuoted+64)]), "?"))
	if len(all) > mostQuoted {
		return strconv.Quote(string(all[:mostQuoted-1]) + "…")
	}
	return strconv.Quote(string(all))
}

// readFront reads the front of a file in which a number is expected.
func readFront(path string) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostOutput+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", pathless(err))
	}
	if len(text) > mostOutput { // the last word may go on
		text = bytes.TrimRightFunc(text, inWord)
	}
	return text, nil
}

// openRegular opens an ordinary file. It does not hang on a pipe.
func openRegular(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("was not written")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", pathless(err))
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.New("is not an ordinary file")
	}
	return file, nil
}
