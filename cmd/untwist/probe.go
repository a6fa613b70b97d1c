package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// probeFlags are the flags of probe as they were given.
type probeFlags struct {
	runFlags
	road, frame  string
	interactions bool
}

// probeCommand finds the frame of a function.
func probeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe [FILE.toml]",
		Short: "Find and certify the coordinates in which a function separates",
		Args:  oneFile,
		RunE:  f.with(f.probe),
	}
	flags := cmd.Flags()
	f.runFlags.register(flags)
	f.crew.register(flags)
	registerIdentifier(flags, &f.road, identify.Survey{}.Name(), "how to look: one of "+strings.Join(identify.Names(), ", ")+"; paper is Algorithm 1 of the paper, with its settings, for 3·dim²·(dim+1) queries")
	toggle(flags, &f.interactions, "interactions", "only find which parameters interact, in the coordinates given")
	flags.Var(text(&f.frame), "frame", "write the coordinates to `FILE` as JSON")
	f.registerOutput(flags, "draw spectrum.svg and couplings.svg into `DIR`")
	return cmd
}

// probe probes a subject, prints what was found, writes the frame and draws.
func (f *probeFlags) probe(cmd *cobra.Command, _ *source, s subject, line *progressLine) error {
	options := f.options(s, line)
	var err error
	if options.Identifier, err = road(f.road); err != nil {
		return err
	}
	if err := cmp.Or(folder("--plot", f.plot), writable("--frame", f.frame)); err != nil {
		return err
	}
	look := untwist.Probe
	if f.interactions {
		look, options.Identifier = untwist.Interactions, nil
		if cmd.Flags().Changed("identifier") || f.frame != "" {
			return objective.BadOption("Interactions", "cannot be combined with --identifier and --frame: it looks for no other coordinates")
		}
	}
	var findings untwist.Findings
	return f.conduct(cmd, s, line, &options, true, func(ctx context.Context, g objective.Objective) (_ untwist.Account, err error) {
		findings, err = look(ctx, g, options)
		return findings.Account, err
	}, func(took time.Duration) finding {
		if p, ok := s.objective.(*problem.Problem); ok && !f.interactions {
			s.known.Frame = p.Frame() // only here: it takes d³ steps
		}
		s.measureCoupling(&findings.Structure)
		found := report.Probe{Subject: s.words, Known: s.known, Findings: findings, Took: took}
		return finding{found, page.OfProbe(found), func() error { return f.keep(cmd, found) }}
	})
}

// keep writes the frame to the file of the flag --frame, if that was given. Where there is
// no frame, or f may not separate in it, it says so.
func (f *probeFlags) keep(cmd *cobra.Command, found report.Probe) error {
	if f.frame == "" {
		return nil
	}
	if found.Findings.Frame == nil {
		note(cmd, "--frame: no coordinates were found, so %s was not written", f.frame)
		return nil
	}
	if err := writeFrame(f.frame, found.Findings.Structure); err != nil {
		return flagged("--frame", err)
	}
	if what := doubtful[found.Verdict()]; what != "" {
		note(cmd, "--frame: %s holds %s: the verdict is %s", f.frame, what, found.Verdict())
	}
	return nil
}

// doubtful says what coordinates are in which f may not separate.
var doubtful = map[certify.Verdict]string{
	certify.NearlySeparable: "coordinates in which f separates but for couplings",
	certify.NotSeparable:    "the best coordinates that were found, but f does not separate in them",
	certify.Unknown:         "coordinates that were not certified",
}

// A frameFile is a frame with its blocks as probe --frame writes it.
type frameFile struct {
	Components int         `json:"components"`
	Dim        int         `json:"dim"`
	Rows       [][]float64 `json:"rows"`
	Blocks     [][]int     `json:"blocks"` // of components, counted from 0
}

// writeFrame writes a frame to a file that minimize --frame reads.
func writeFrame(path string, found untwist.Structure) error {
	text, err := json.Marshal(frameFile{found.Frame.Components(), found.Frame.Dim(), rowsOf(found.Frame), found.Blocks})
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'))
}

func rowsOf(f *frame.Frame) (rows [][]float64) {
	for j := range f.Components() {
		rows = append(rows, f.Matrix().RawRowView(j))
	}
	return rows
}

// readFrame reads a frame, and its blocks if the file has any.
func readFrame(path string) (*frame.Frame, [][]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, objective.BadOption("Frame", "%v", err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var file frameFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, nil, objective.BadOption("Frame", "%s %v", path, inWords(err))
	}
	const other = "%s is not a frame as probe --frame writes it: %s"
	if len(file.Rows) == 0 {
		return nil, nil, objective.BadOption("Frame", other, path, `it has no "rows"`)
	}
	var f frame.Frame
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, nil, objective.BadOption("Frame", other, path, strings.TrimPrefix(err.Error(), "frame: "))
	}
	return &f, file.Blocks, nil
}
