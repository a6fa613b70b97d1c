package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/objective"
)

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

// rowsOf returns the rows of a frame.
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
