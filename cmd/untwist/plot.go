package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/report"
)

// drawStructure draws the spectrum and the couplings, as far as there are any.
func drawStructure(dir string, found untwist.Structure) error {
	if found.Spectrum.Values == nil {
		return nil
	}
	axis := "|eigenvalue|"
	if found.Spectrum.Kind == identify.SingularValues {
		axis = "singular value"
	}
	err := report.Spectrum(filepath.Join(dir, "spectrum.svg"), string(found.Spectrum.Kind), axis, found.Spectrum.Values)
	if found.Before == nil || found.After == nil || err != nil {
		return err
	}
	return report.Couplings(filepath.Join(dir, "couplings.svg"), found.Before, found.After, found.Blocks)
}

// drawRun draws how a search went and what it learnt; minimum is that of f.
func drawRun(dir string, r untwist.Result, minimum float64) error {
	var gaps []objective.Sample
	for _, s := range r.Curve {
		gaps = append(gaps, objective.Sample{Queries: s.Queries, Value: max(0, s.Value-minimum)})
	}
	var stages []report.Stage
	for _, s := range r.Stages {
		stages = append(stages, report.Stage{Name: s.Name, Queries: s.Queries})
	}
	title := fmt.Sprintf("%s: gap %.3g after %s queries", r.Strategy, r.Value-minimum, words.Thousands(r.Queries))
	err := report.Convergence(filepath.Join(dir, "convergence.svg"), title, "gap", gaps, stages)
	if r.Structure != nil {
		err = errors.Join(err, drawStructure(dir, *r.Structure))
	}
	if len(r.Profiles) > 0 {
		err = errors.Join(err, drawProfiles(dir, r.Profiles), writeProfiles(filepath.Join(dir, "profiles.csv"), r.Profiles))
	}
	return err
}

// drawProfiles draws f along the components.
func drawProfiles(dir string, profiles []untwist.Profile) error {
	var panels []report.Profile
	for _, p := range profiles {
		panel := report.Profile{Title: fmt.Sprintf("component %d", p.Component), X: p.Y, Y: p.Value}
		for _, w := range p.Wells {
			panel.WellX, panel.WellY = append(panel.WellX, w.Y), append(panel.WellY, w.Value)
		}
		panels = append(panels, panel)
	}
	return report.Profiles(filepath.Join(dir, "profiles.svg"), panels)
}

// writeProfiles writes the profiles as a table.
func writeProfiles(path string, profiles []untwist.Profile) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := csv.NewWriter(file)
	out.Write([]string{"component", "y", "value"})
	for _, p := range profiles {
		for i, y := range p.Y {
			out.Write([]string{strconv.Itoa(p.Component), strconv.FormatFloat(y, 'g', -1, 64), strconv.FormatFloat(p.Value[i], 'g', -1, 64)})
		}
	}
	out.Flush()
	return errors.Join(out.Error(), file.Close())
}
