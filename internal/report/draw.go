// Package report tells people and programs what was found.
//
// A Run is a minimisation and a Probe is a search for coordinates, each with its
// Subject and with what is Known about that. Both print themselves for people (String),
// write themselves as a JSON object (MarshalJSON) and draw pictures into a folder
// (Draw). Start with one of them. Package report/chart draws the pictures one by one.
//
// Components are counted from 1 in words and in pictures, and from 0 in JSON and CSV.
package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// Draw draws into a folder how the run went and what it learnt about f, as far as there
// is something to draw: convergence.svg and convergence-linear.svg, which have queries on a
// logarithmic and on a linear scale, spectrum.svg, couplings.svg, map.svg and profiles.svg. The
// profiles are written as profiles.csv, too. Where the minimum of f is known and f has no
// blemishes, the convergence is that of the gap, and otherwise that of the best value.
//
// Draw goes on after a picture that cannot be written, and returns the first error.
func (r Run) Draw(dir string) error {
	found := r.Result
	what, label, curve := "value", "best value", found.Curve
	final := found.Value
	if r.hasGap() && found.ValueClean == nil {
		what, label, curve = "gap", "gap", r.gaps()
		final = r.gap()
	}
	title := fmt.Sprintf("%s: %s %s after %s", found.Strategy, what, words.Number(final, 3), words.Count(found.Queries, "query", "queries"))
	converged := func(name string, scale chart.Scale) error {
		picture := chart.Convergence(curve, found.Stages, scale, label)
		return chart.Sheet(title, 1, []chart.Picture{picture}).Save(filepath.Join(dir, name))
	}
	failed := cmp.Or(converged("convergence.svg", chart.Logarithmic), converged("convergence-linear.svg", chart.Linear))
	if found.Structure != nil {
		failed = cmp.Or(failed, drawStructure(dir, *found.Structure))
	}
	if len(found.Profiles) > 0 {
		failed = cmp.Or(failed,
			chart.Profiles(found.Profiles).Save(filepath.Join(dir, "profiles.svg")),
			writeProfiles(filepath.Join(dir, "profiles.csv"), found.Profiles))
	}
	return failed
}

// gaps returns the convergence curve measured from the known minimum. Rounding can make
// a value fall below the minimum; its gap is 0.
func (r Run) gaps() []objective.Sample {
	var all []objective.Sample
	for _, s := range r.Result.Curve {
		all = append(all, objective.Sample{Queries: s.Queries, Value: max(0, s.Value-r.Known.Minimum)})
	}
	return all
}

// ErrNothingToDraw says that no Hessian was sampled: there was no need for one, or the
// probe ended before. Then there are no pictures.
var ErrNothingToDraw = errors.New("no Hessian was sampled, so there is nothing to draw")

// Draw draws spectrum.svg and, where there are couplings, couplings.svg into a folder; of interactions,
// interactions.svg.
func (p Probe) Draw(dir string) error {
	if g := p.Findings.Interactions; g != nil {
		names := FreeNames(p.Subject.Parameters, p.Findings.Dim)
		return chart.Interactions(p.Findings.Dim, g.Groups, g.Pairs, g.Kind == "band", names).Save(filepath.Join(dir, "interactions.svg"))
	}
	if len(p.Findings.Spectrum.Values) == 0 {
		return ErrNothingToDraw
	}
	return drawStructure(dir, p.Findings.Structure)
}

// drawStructure draws the spectrum, the couplings and the outer map, as far as there are any.
func drawStructure(dir string, found untwist.Structure) (failed error) {
	if s := found.Spectrum; len(s.Values) > 0 {
		failed = chart.Spectrum(string(s.Kind), s.Values).Save(filepath.Join(dir, "spectrum.svg"))
	}
	if found.Before != nil && found.After != nil {
		all := chart.Couplings(found.Before, found.After, found.Blocks, nil)
		last := len(all) - 1
		failed = cmp.Or(failed, chart.Sheet("", 2, all[:last], all[last]).Save(filepath.Join(dir, "couplings.svg")))
	}
	if found.Map != nil {
		failed = cmp.Or(failed, chart.Map(found.Map).Save(filepath.Join(dir, "map.svg")))
	}
	return failed
}

// writeProfiles writes profiles as a table in CSV, with components counted from 0.
func writeProfiles(path string, profiles []untwist.Profile) error {
	var table bytes.Buffer
	out := csv.NewWriter(&table)
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	out.Write([]string{"component", "y", "value"})
	for _, p := range profiles {
		for i, y := range p.Y {
			out.Write([]string{strconv.Itoa(p.Component), exact(y), exact(p.Value[i])})
		}
	}
	out.Flush()
	return atomicfile.Write(path, table.Bytes())
}
