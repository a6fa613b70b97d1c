package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/program"
)

//go:embed init.toml
var starterText string

// starterForm is the problem file that init writes.
var starterForm = template.Must(template.New("").Parse(starterText))

// A starter is what init writes into a problem file.
type starter struct {
	File, Journal, Report string
	Exec                  string // as TOML
	Lines                 bool   // the program gets each point as a line
	Parameters            []string
	Budget                int
}

// initCommand writes a problem file.
func initCommand() *cobra.Command {
	var params []string
	var dim int
	cmd := &cobra.Command{
		Use:   "init COMMAND [FILE.toml]",
		Short: "Write a commented problem file for a program of yours",
		Args:  takes(1, 2, "a command, in quotes, and maybe the problem file that is to be written"),
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := program.Split(args[0])
			if err != nil {
				return usageError{err}
			}
			space, err := starterSpace(args[0], params, dim)
			if err != nil {
				return usageError{err}
			}
			if err := startable(words[0]); err != nil {
				return err
			}
			return writeStarter(cmd, args, words, space)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&params, "param", nil, "`NAME=LO:HI` or NAME=WORD,WORD: a parameter with its limits, then :int for integers, :step=S for steps and :log for a logarithmic scale, or its choices; may be given several times")
	flags.Var(count(&dim), "dim", "number of parameters of a command without placeholders, which are then x1 … xN")
	return cmd
}

// blank is a placeholder of a command.
var blank = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// starterSpace returns the parameters of a command: those that are given, and its placeholders.
func starterSpace(command string, params []string, dim int) (space parameter.Space, err error) {
	for _, given := range params {
		p, err := parseParameter(given)
		if err != nil {
			return nil, fmt.Errorf("--param: %w", err)
		}
		space = append(space, p)
	}
	add := func(name string) {
		if !slices.Contains(space.Names(), name) {
			space = append(space, parameter.Parameter{Name: name, Min: new(-5.0), Max: new(5.0)})
		}
	}
	for _, found := range blank.FindAllStringSubmatch(strings.ReplaceAll(command, "{{", ""), -1) {
		if !slices.Contains([]string{"all", "in", "out"}, found[1]) {
			add(found[1])
		}
	}
	for i := range dim {
		add(fmt.Sprintf("x%d", i+1))
	}
	if len(space) == 0 {
		return nil, errors.New("which parameters has it? Write {name} for each into the command, or give --param NAME=LO:HI for each, or --dim N if it reads lines of N numbers")
	}
	return space, space.Check()
}

// startable returns an error if a program is not there, in words that help.
func startable(name string) error {
	_, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) || err == nil {
		return nil
	}
	_, missing := os.Stat(name)
	switch {
	case missing == nil && !strings.ContainsRune(name, filepath.Separator):
		return fmt.Errorf("%s is in this folder, so it is started by ./%s", name, name)
	case missing == nil:
		return fmt.Errorf("%s cannot be run: chmod +x sets its execute bit; or begin the command with its interpreter, such as python3 %s", name, name)
	}
	return fmt.Errorf("there is no program %s", name)
}

// writeStarter writes the problem file, and says what comes next.
func writeStarter(cmd *cobra.Command, args, words []string, space parameter.Space) error {
	name := baseOf(words)
	s := starter{File: name + ".toml", Exec: tomlText(args[0]), Lines: !blank.MatchString(args[0])}
	if len(args) > 1 {
		s.File = args[1]
	}
	base := strings.TrimSuffix(filepath.Base(s.File), filepath.Ext(s.File))
	s.Journal, s.Report = tomlText(base+".journal"), tomlText(base+".html")
	s.Parameters = lists.Map(space, tomlParameter)
	d := len(space)
	s.Budget = 10*d*d + 300*d + 1000
	file, err := os.OpenFile(s.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is not replaced: name another file", s.File)
	}
	if err != nil {
		return unwrapped(err)
	}
	defer file.Close()
	if err := starterForm.Execute(file, s); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is written. Set the limits of its parameters, then:\n  untwist check %[1]s\n  untwist minimize %[1]s\n", s.File)
	return err
}

// baseOf returns what a problem file is called: the program, or the script of an interpreter.
func baseOf(words []string) string {
	name := words[0]
	for _, word := range words[1:] {
		if ext := filepath.Ext(word); slices.Contains([]string{".py", ".jl", ".r", ".R", ".m", ".sh", ".js", ".rb", ".pl"}, ext) {
			name = word
			break
		}
	}
	name = filepath.Base(name)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// tomlParameter writes a parameter as a problem file has it.
func tomlParameter(p parameter.Parameter) string {
	if p.Choices != nil {
		return fmt.Sprintf(`%s = { choices = ["%s"] }`, p.Name, strings.Join(p.Choices, `", "`))
	}
	text := fmt.Sprintf("%s = { min = %s, max = %s", p.Name, exact(*p.Min), exact(*p.Max))
	if p.Integer {
		text += ", integer = true"
	}
	if p.Step != nil {
		text += ", step = " + exact(*p.Step)
	}
	if p.Log {
		text += `, scale = "log"`
	}
	return text + " }"
}

// tomlText writes a text as TOML does.
func tomlText(s string) string {
	if !strings.ContainsAny(s, "'\n\r\t") {
		return "'" + s + "'"
	}
	return strconv.Quote(s)
}
