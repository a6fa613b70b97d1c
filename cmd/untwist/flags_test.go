package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	for given, want := range map[string]int{
		"1": 1, "010": 10, "+3": 3, "1e6": 1_000_000, "2.5e4": 25_000, "1.50e1": 15, "12.0": 12, "1E3": 1000, "100e-2": 1,
		"9223372036854775807": math.MaxInt, "9223372036854775807.0": math.MaxInt, "9007199254740993e0": 9007199254740993,
	} {
		var c int
		if err := count(&c).Set(given); err != nil || c != want {
			t.Errorf("%s is %d, %v, want %d", given, c, err, want)
		}
	}
	for given, want := range map[string]string{
		"": "whole number of at least 1", "two": "whole number of at least 1", "0": "whole number of at least 1",
		"-5": "whole number of at least 1", "-1e3": "whole number of at least 1", "1.5": "whole number of at least 1",
		"1e-3": "whole number of at least 1", "1_000": "whole number of at least 1", "0x10": "whole number of at least 1",
		"NaN": "whole number of at least 1", "3/1": "whole number of at least 1", "1.00000000000000000001": "whole number of at least 1",
		"-1e400": "whole number of at least 1", "1e-400": "whole number of at least 1",
		"9223372036854775808": "at most 9223372036854775807", "1e19": "at most 9223372036854775807",
		"9.3e18": "at most 9223372036854775807", "1e400": "at most 9223372036854775807", "Inf": "at most 9223372036854775807",
	} {
		c := 7
		if err := count(&c).Set(given); err == nil || !strings.Contains(err.Error(), want) || c != 7 {
			t.Errorf("%q is %d, %v, want an error with %q", given, c, err, want)
		}
	}
}

// Methods have commas between them. Those in a command belong to it, unless another command
// follows.
func TestMethodTexts(t *testing.T) {
	for given, want := range map[string][]string{
		"auto, cmaes":                 {"auto", "cmaes"},
		"a=exec:./x 1,2 --k=3,b=4":    {"a=exec:./x 1,2 --k=3,b=4"},
		"auto,a=exec:x y,b=exec:z,w":  {"auto", "a=exec:x y", "b=exec:z,w"},
		"s=cmaes:sigma=1,a=exec:x,9,": {"s=cmaes:sigma=1", "a=exec:x,9,"},
	} {
		var m []string
		if err := methodList(&m).Set(given); err != nil || !slices.Equal(m, want) {
			t.Errorf("%q: %q, %v", given, m, err)
		}
	}
	var m []string
	if err := methodList(&m).Set("auto,,cmaes"); err == nil {
		t.Error(m)
	}
}
