package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
)

// A frameReport is what is known about a frame.
type frameReport struct {
	Components  int             `json:"components"`
	Dim         int             `json:"dim"`
	Residual    finite          `json:"residual"`
	Certificate finite          `json:"certificate"`
	Alone       finite          `json:"certificate_alone"` // of the worst block by itself; null: not tested
	Beyond      finite          `json:"beyond"`            // how much f depends on what the frame leaves out
	Rounding    finite          `json:"rounding"`
	Splits      int             `json:"splits"`
	Verdict     certify.Verdict `json:"verdict"`
	Blocks      [][]int         `json:"blocks"` // of components, counted from 0
	Linear      int             `json:"linear"` // the component in which f is linear; -1: none
	Quadratic   bool            `json:"quadratic"`
	Queries     int             `json:"queries"`
}

// newFrameReport describes a frame that took so many queries; nil if there is none.
func newFrameReport(found *untwist.Structure, queries int) *frameReport {
	if found == nil || found.Frame == nil {
		return nil
	}
	c := found.Certificate
	if c.Culprit < 0 {
		c.Alone = infinite // not tested
	}
	return &frameReport{
		Components: found.Frame.Components(), Dim: found.Frame.Dim(), Residual: finite(found.Residual),
		Certificate: finite(c.Coupling), Alone: finite(c.Alone), Beyond: finite(c.Beyond), Rounding: finite(c.Rounding), Splits: c.Splits, Verdict: c.Verdict,
		Blocks: found.Blocks, Linear: found.Linear, Quadratic: found.Quadratic, Queries: queries,
	}
}

// A frameFile is a frame with its blocks as it is written to a file.
type frameFile struct {
	Components int         `json:"components"`
	Dim        int         `json:"dim"`
	Rows       [][]float64 `json:"rows"`
	Blocks     [][]int     `json:"blocks"`
}

// writeFrame writes a frame to a file that minimize --frame reads.
func writeFrame(path string, found untwist.Structure) error {
	file := frameFile{Components: found.Frame.Components(), Dim: found.Frame.Dim(), Blocks: found.Blocks}
	for j := range file.Components {
		file.Rows = append(file.Rows, found.Frame.Matrix().RawRowView(j))
	}
	text, err := json.Marshal(file)
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o644)
	}
	return err
}

// readFrame reads a frame, and its blocks if the file has any.
func readFrame(path string) (*frame.Frame, [][]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, objective.BadOption("Frame", "%v", err)
	}
	var f frame.Frame
	var file frameFile
	if err := errors.Join(json.Unmarshal(text, &f), json.Unmarshal(text, &file)); err != nil {
		return nil, nil, objective.BadOption("Frame", "%q is no frame as probe --frame writes it: %v", path, firstLine(err))
	}
	return &f, file.Blocks, nil
}

// firstLine is the first of several errors.
func firstLine(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()[0]
	}
	return err
}

// folder makes a folder for pictures.
func folder(path string) error {
	if path == "" {
		return nil
	}
	if err := takesFiles(path); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}
