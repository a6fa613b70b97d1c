package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/words"
)

// Every stage that a run can have is told in plain words, and what comes after it.
func TestStagesInPlainWords(t *testing.T) {
	named := regexp.MustCompile(`objective\.Stage\{Name: "([^"]*)"`)
	plain := regexp.MustCompile(`(?i)hessian|certificate|polish`)
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range named.FindAllSubmatch(text, -1) {
			seen++
			name := string(found[1])
			if words.Next(name) == "" || plain.MatchString(words.Stage(name)) {
				t.Errorf("%s: stage %q is %q, then %q", path, name, words.Stage(name), words.Next(name))
			}
		}
		return err
	})
	if err != nil || seen < 25 {
		t.Errorf("%d stages were found, and %v", seen, err)
	}
}
