package main

import (
	"encoding/gob"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A drawing is what the pictures of a run show, to be drawn later: a caller gets it with the
// result, and gives it to untwist draw. Fields are as in Result, Strategy is "" for a probe.
type drawing struct {
	Strategy      string
	Value         float64
	Queries       int
	Curve         []objective.Sample
	Stages        []untwist.Stage
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
	d := drawing{Strategy: r.Strategy, Value: r.Value, Queries: r.Queries, Curve: r.Curve, Stages: r.Stages, Profiles: r.Profiles}
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

// draw draws the pictures into a folder.
func (d drawing) draw(dir string) error {
	account := untwist.Account{Value: d.Value, Queries: d.Queries, Curve: d.Curve, Stages: d.Stages}
	structure := untwist.Structure{Spectrum: d.Spectrum, Blocks: d.Blocks, Before: d.Before, After: d.After}
	var all interface{ Draw(string) error } = report.Probe{Findings: untwist.Findings{Account: account, Structure: structure}}
	if d.Strategy != "" {
		all = report.Run{Result: untwist.Result{Account: account, Strategy: d.Strategy, Structure: &structure, Profiles: d.Profiles}}
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
