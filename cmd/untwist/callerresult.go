package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"gonum.org/v1/gonum/mat"
)

// A resultForm is the last message to a caller: the JSON object of the command, and what else
// is known. Numbers that may not be finite, and matrices, are in messages of their own.
type resultForm struct {
	Report       outcome       `json:"report"`
	Words        string        `json:"words"`
	Warnings     []string      `json:"warnings"`
	Notes        []string      `json:"notes"`
	FailedReason string        `json:"failed_reason"`
	FailedPoint  []float64     `json:"failed_point"`
	Profiles     []profileForm `json:"profiles"`
	AlongAxes    bool          `json:"along_axes"`
	Coordinates  []string      `json:"coordinates"` // in words
}

// A profileForm says which component a profile belongs to. Its numbers are arrays.
type profileForm struct {
	Component int  `json:"component"`
	Open      bool `json:"open"`
}

// told tells the caller what a run came to. It returns the error of the command.
func (c *caller) told(found finding, err error) error {
	r := found.page.Run.Result
	if err != nil && r.Queries == 0 {
		return err
	}
	form := newResultForm(found.outcome, r.Account)
	failed := cmp.Or(c.array("fun", []float64{r.Value}), c.array("x", r.Point))
	for _, p := range r.Profiles {
		form.Profiles = append(form.Profiles, profileForm{p.Component, p.Open})
		wells := [2][]float64{}
		for _, w := range p.Wells {
			wells[0], wells[1] = append(wells[0], w.Y), append(wells[1], w.Value)
		}
		failed = cmp.Or(failed, c.array(fmt.Sprintf("profile %d", p.Component), p.Y, p.Value),
			c.array(fmt.Sprintf("wells %d", p.Component), wells[:]...))
	}
	if r.Structure != nil && r.Structure.Frame != nil {
		form.AlongAxes, form.Coordinates = r.Structure.Frame.AlongAxes(), c.coordinates(r.Structure.Frame)
		failed = cmp.Or(failed, c.array("frame", rowsOf(r.Structure.Frame)...))
	}
	return cmp.Or(failed, c.drawing(newDrawing(r)), c.last(form), err)
}

func newResultForm(found outcome, a untwist.Account) resultForm {
	return resultForm{
		Report: found, Words: found.String(), Warnings: found.Warnings(),
		Notes: a.Notes, FailedReason: a.FailedReason, FailedPoint: a.FailedPoint,
	}
}

// coordinates returns the coordinates of a frame as combinations of parameters. Without names
// these are x[0], x[1], …, as callers count.
func (c *caller) coordinates(f *frame.Frame) []string {
	space := c.hello.Parameters
	if len(space) == 0 {
		space = countedFrom0(f.Dim())
	}
	return lists.Map(rowsOf(f), space.Combination)
}

func countedFrom0(d int) parameter.Space {
	space := parameter.Plain(d)
	for i := range space {
		space[i].Name = fmt.Sprintf("x[%d]", i)
	}
	return space
}

// drawing writes what pictures are drawn of.
func (c *caller) drawing(d drawing) error {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(d); err != nil {
		return err
	}
	return c.send(kindDrawing, text.Bytes())
}

// last writes the last message.
func (c *caller) last(form resultForm) error {
	text, err := json.Marshal(form)
	if err != nil {
		return err
	}
	return c.send(kindResult, text)
}

// A drawing is what the pictures of a run show, to be drawn later: a caller gets it with the
// result, and gives it to untwist draw. Fields are as in Result, Strategy is "" for a probe.
type drawing struct {
	Strategy string
	untwist.Account
	Spectrum      identify.Spectrum
	Before, After *mat.Dense
	Blocks        [][]int
	Profiles      []untwist.Profile
	Map           []byte // the picture of the outer map; nil: there is none
}

// mostCoupled is up to how many dimensions couplings are kept to be drawn: they are matrices,
// of which nobody can see so many rows in a picture.
const mostCoupled = 1000

// newDrawing returns what is drawn of a run.
func newDrawing(r untwist.Result) drawing {
	d := drawing{Strategy: r.Strategy, Profiles: r.Profiles}
	d.Value, d.Queries, d.Curve, d.Stages = r.Value, r.Queries, r.Curve, r.Stages
	found := r.Structure
	if found == nil {
		return d
	}
	d.Spectrum, d.Blocks = found.Spectrum, found.Blocks
	if found.Dim <= mostCoupled {
		d.Before, d.After = found.Before, found.After
	}
	if found.Map != nil {
		d.Map = []byte(chart.Map(found.Map).SVG()) // nothing outside its package can be made of a map
	}
	return d
}

func (d drawing) draw(dir string) error {
	structure := untwist.Structure{Spectrum: d.Spectrum, Blocks: d.Blocks, Before: d.Before, After: d.After}
	var all interface{ Draw(string) error } = report.Probe{Findings: untwist.Findings{Account: d.Account, Structure: structure}}
	if d.Strategy != "" {
		all = report.Run{Result: untwist.Result{Account: d.Account, Strategy: d.Strategy, Structure: &structure, Profiles: d.Profiles}}
	}
	if d.Map != nil {
		if err := atomicfile.Write(filepath.Join(dir, "map.svg"), d.Map); err != nil {
			return err
		}
	}
	if err := all.Draw(dir); !errors.Is(err, report.ErrNothingToDraw) {
		return err
	}
	return nil
}

// drawCommand draws the pictures of a run that a caller was told of.
func drawCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "draw DIR",
		Short:  "Draw what a caller was told, from standard input",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var d drawing
			if err := gob.NewDecoder(cmd.InOrStdin()).Decode(&d); err != nil {
				return errors.New("draw: this is not what this version of the program has told a caller")
			}
			if err := folder("draw", args[0]); err != nil {
				return err
			}
			return d.draw(args[0])
		},
	}
}
