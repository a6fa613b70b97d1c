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
	pattern *regexp.Regexp // its first group, in what was printed or in the file; nil: the last number, or the first in the file
	file    string         // a path; "": in what was printed
	name    string         // of the file, for people
}

// read finds the value. empty says that there was nothing at all where it should be.
func (r result) read(printed []byte) (v float64, failure *objective.Failure, empty bool) {
	switch {
	case r.file != "":
		text, err := readFront(r.file)
		if err != nil {
			return 0, noNumber("%s %v", r.name, err), true
		}
		if r.pattern != nil {
			v, failure = matched(r.pattern, text)
			break
		}
		word := firstWord(text)
		if word == "" {
			return 0, noNumber("there is no number in %s", r.name), len(text) == 0
		}
		v, failure = meant(word)
	case r.pattern != nil:
		if v, failure = matched(r.pattern, printed); failure != nil {
			return 0, failure, len(printed) == 0
		}
	default:
		word := lastWord(printed)
		if word == "" {
			return 0, nothingPrinted(printed), len(printed) == 0
		}
		v, failure = meant(word)
	}
	if failure != nil {
		return 0, failure, false
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, notANumber(v), false
	}
	return v, nil, false
}

// matched returns the number in the first group of the last match. Where the match ends with
// the group, so must the number: of 1.5e-3 the group ([0-9.]+) finds a part.
func matched(pattern *regexp.Regexp, printed []byte) (float64, *objective.Failure) {
	matches := pattern.FindAllSubmatchIndex(printed, -1)
	if len(matches) == 0 {
		return 0, noNumber("nothing that was printed matches %s%s", pattern, ending(printed))
	}
	at := matches[len(matches)-1]
	if at[2] < 0 {
		return 0, noNumber("the group of %s has no part in its last match", pattern)
	}
	group := printed[at[2]:at[3]]
	v, ok := parseNumber(string(group))
	switch {
	case !ok:
		return 0, noNumber("%s finds %s, which is not a number", pattern, quoted(group))
	case at[3] == at[1] && goesOn.Match(printed[at[3]:]), at[2] == at[0] && wentOn.Match(printed[max(0, at[2]-8):at[2]]):
		line := printed[bytes.LastIndexByte(printed[:at[2]], '\n')+1:]
		line, _, _ = bytes.Cut(line, []byte("\n"))
		return 0, noNumber("%s finds %s, which is a part of a number in the line %s", pattern, quoted(group), quoted(line))
	}
	return v, nil
}

// meant reads a word that looks like a number.
func meant(word string) (float64, *objective.Failure) {
	v, ok := wordNumber(word)
	switch {
	case ok:
		return v, nil
	case strings.Contains(word, ","):
		return 0, noNumber("%s may be one number or two: print a decimal point, or a space after the comma", quoted([]byte(word)))
	}
	return 0, noNumber("%s looks like a number, and cannot be read as one", quoted([]byte(word)))
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
	text, err := readRegular(path, mostOutput+1)
	if err != nil {
		return nil, err
	}
	if len(text) > mostOutput { // the last word may go on
		text = bytes.TrimRightFunc(text, mayJoin)
	}
	return text, nil
}

// readRegular reads the front of an ordinary file.
func readRegular(path string, most int64) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", pathless(err))
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
