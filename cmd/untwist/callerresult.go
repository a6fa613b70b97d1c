package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"fmt"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/parameter"
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
	failed := c.account(r.Account)
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

// account writes the best point and its value.
func (c *caller) account(a untwist.Account) error {
	return cmp.Or(c.array("fun", []float64{a.Value}), c.array("x", a.Point))
}

// coordinates returns the coordinates of a frame as combinations of parameters. Without names
// these are x[0], x[1], …, as callers count.
func (c *caller) coordinates(f *frame.Frame) []string {
	space := c.hello.Parameters
	if len(space) == 0 {
		space = parameter.Plain(f.Dim())
		for i := range space {
			space[i].Name = fmt.Sprintf("x[%d]", i)
		}
	}
	var all []string
	for _, row := range rowsOf(f) {
		all = append(all, space.Combination(row))
	}
	return all
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
