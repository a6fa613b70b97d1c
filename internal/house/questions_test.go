package house

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// questions are what users ask, with the page that answers them and words of the answer.
var questions = []struct{ question, page, answer string }{
	{"What is it, and for which functions?", "README.md", `functions of 10 to 1,000 parameters that you can only evaluate`},
	{"How do I try it at once?", "README.md", `go run \./cmd/untwist minimize --problem rastrigin --dim 100`},
	{"How do I install it without Go?", "docs/install.md", `pip install untwist-`},
	{"When should I not use it?", "README.md", `## When not to use it`},
	{"How many queries do I need for d parameters?", "README.md", `7d²/4 \+ 120d \+ 200`},
	{"How do I minimise my own simulator?", "docs/simulator.md", `untwist minimize sim\.toml --journal sim\.journal`},
	{"What must my program read and print?", "docs/programs.md", `It is the last number that the program prints`},
	{"What happens if my program crashes at a point?", "docs/programs.md", `Its value counts as \+∞ and the run goes on`},
	{"Can a run go on after a crash or a power cut?", "docs/journal.md", `kill`},
	{"How do I call it from Python?", "docs/python.md", `untwist\.minimize\(`},
	{"How do I call it from Go?", "docs/go.md", `untwist\.Minimize\(ctx`},
	{"How do I use many machines?", "docs/cluster.md", `untwist worker`},
	{"My own queue evaluates. How do I ask for points?", "docs/asktell.md", `untwist ask`},
	{"How do I fit residuals, and how sure are the parameters?", "docs/calibration.md", `standard error`},
	{"How do I set limits on outputs, or on sums of parameters?", "docs/constraints.md", `limits`},
	{"What does the report say, and how do I read it?", "docs/report.md", `## How to read it`},
	{"Which parameters matter, and how sure is that?", "docs/sensitivity.md", `total Sobol' index`},
	{"Does the same seed give the same result everywhere?", "docs/install.md", `\*\*Bits\*\*`},
	{"What if the values have noise?", "docs/auto.md", `\*\*Noise`},
	{"How much better or worse is it than other methods?", "docs/data/versus.md", `differential_evolution`},
}

// Twenty questions of users are each answered, by page and line. With -v the lines are listed.
func TestQuestions(t *testing.T) {
	if len(questions) != 20 {
		t.Errorf("there are %d questions", len(questions))
	}
	for _, q := range questions {
		text, err := os.ReadFile("../../" + q.page)
		if err != nil {
			t.Error(err)
			continue
		}
		at := regexp.MustCompile(strings.ReplaceAll(q.answer, " ", `\s+`)).FindIndex(text)
		if at == nil {
			t.Errorf("%s: %s does not say %q", q.question, q.page, q.answer)
			continue
		}
		t.Logf("%s %s:%d", q.question, q.page, 1+bytes.Count(text[:at[0]], []byte("\n")))
	}
}
