// Package program has objectives and optimisers that are someone else's program.
package program

import (
	"fmt"
	"regexp"
	"time"

	"github.com/untwist/untwist/internal/parameter"
)

// Config says how a program is run.
type Config struct {
	// Exec is the command, split into words (see Split). Placeholders in it are
	// {name} for the value of a parameter, {all} for all values, one word each, and
	// {in} and {out} for paths of files. {{ is a brace.
	Exec []string
	// Dir is the folder against which a relative first word of Exec is resolved, and in
	// which the program runs, unless it runs in a work folder. "": the current folder.
	Dir string
	// Names are the names of the parameters, in order: those of a point.
	Names []string
	// Space are the parameters with these names, which say how values are written: integers without
	// a point, choices as words. nil: all are numbers. The protocol binary has the index of a choice.
	Space parameter.Space

	// Protocol is how points and values are exchanged. "": Once where Exec has
	// placeholders or there is a template, otherwise Lines.
	Protocol Protocol
	// EOF closes the standard input of a Lines program after each batch and starts the
	// program anew for the next.
	EOF bool

	// Procs is how many processes run at the same time. 0: 1.
	Procs int
	// FirstProc is the number of the first of these processes, which they are told in
	// UNTWIST_PROC, for those who run several objectives side by side. 0: 1.
	FirstProc int
	// Timeout is the most time for a point; for Batch and with EOF, for a call. 0: no
	// limit.
	Timeout time.Duration
	// Retries is how often a point is tried again after the machine failed, not the
	// point. nil: once.
	Retries *int
	// KeepFailed is how many work folders of failed points are kept. nil: DefaultKeepFailed.
	KeepFailed *int
	// KeepGoing goes on where the very first answer already shows that the program does
	// not keep to the protocol.
	KeepGoing bool

	// Templates are files that are filled in for every point, for Once.
	Templates []Template
	// Result finds the value in what the program prints: its first group. nil: the value
	// is the last number that is printed.
	Result *regexp.Regexp
	// ResultFile is a file in the work folder whose first number is the value. "": the
	// value is in what the program prints.
	ResultFile string

	// Residuals is how many numbers an answer has whose squares are summed. 0: it has a value.
	Residuals int
	// Outputs are the numbers that an answer has besides, in order.
	Outputs []Output

	// Note is told, in one line without a full stop, what the user should know while the
	// program runs. It may be called from several goroutines. nil: nobody is told.
	Note func(line string)
}

// A Template is a file whose placeholders are filled in for every point.
type Template struct {
	Source string // the file with the placeholders; relative to Config.Dir
	Name   string // the file that is written, in the work folder
}

// An Output is a named number of an answer, or several.
type Output struct {
	Name string
	// Count says that there are several: Name1, Name2, … 0: there is one, called Name.
	Count int
	// Result finds it, for Once, in what the program prints or in the result file. nil: the program
	// prints a JSON object that has it.
	Result *regexp.Regexp
}

// Names returns the names of its numbers.
func (o Output) Names() (all []string) {
	if o.Count == 0 {
		return []string{o.Name}
	}
	for i := range o.Count {
		all = append(all, fmt.Sprintf("%s%d", o.Name, i+1))
	}
	return all
}

// A Protocol is how points and values are exchanged with a program.
type Protocol string

// The protocols.
const (
	Once   Protocol = "once"   // a process for each point
	Lines  Protocol = "lines"  // kept running; a line of numbers in, a line with the value out
	JSON   Protocol = "json"   // kept running; objects in and out, in any order
	Binary Protocol = "binary" // kept running; float64s in and out
	Batch  Protocol = "batch"  // a call for each batch
)

// DefaultKeepFailed is how many work folders of failed points are kept, if nobody says how many.
const DefaultKeepFailed = 20

// A Description says which function a program is: everything in Config that decides the
// values, and nothing that decides only how fast they come.
type Description struct {
	Exec       []string
	Protocol   Protocol
	EOF        bool
	Names      []string
	Templates  []FilledIn
	Result     string
	ResultFile string
	// Several is what else an answer has; nil: a value alone.
	Several *DescribedNumbers
	// Executable is the file of the first word of Exec, and other words of it that are
	// files. A digest is "" if the file may not be read.
	Executable []File
}

// DescribedNumbers are the numbers of an answer: residuals, if there are any, and outputs, with
// their patterns.
type DescribedNumbers struct {
	Residuals        int
	Outputs, Results []string
}

// FilledIn is a template, by the file that it writes and the digest of its content.
type FilledIn struct{ Name, Digest string }

// Description returns a Description of the program as it was when New was called.
func (o *Objective) Description() any {
	r := o.recipe
	d := Description{
		Exec: r.given, Protocol: r.Protocol, EOF: r.EOF, Names: r.Names,
		ResultFile: r.ResultFile, Executable: r.executable,
	}
	if r.Result != nil {
		d.Result = r.Result.String()
	}
	for _, t := range r.templates {
		d.Templates = append(d.Templates, FilledIn{t.name, t.digest})
	}
	if r.shape.width > 0 {
		d.Several = &DescribedNumbers{Residuals: r.Residuals}
	}
	for _, o := range r.Config.Outputs {
		d.Several.Outputs = append(d.Several.Outputs, o.Names()...)
		if o.Result != nil {
			d.Several.Results = append(d.Several.Results, o.Result.String())
		}
	}
	return d
}
