package model

import (
	"github.com/untwist/untwist/internal/kernel"
)

// prepare measures steps, and looks for few components.
func (e *search) prepare() (err error) {
	e.white = kernel.Identity(e.m)
	if err = e.climb(e.frame, 0, false); err != nil {
		return err
	}
	if e.s.span != nil {
		return nil
	}
	span, err := reduce(e.s, e.steps)
	if err != nil {
		return err
	}
	if span != nil {
		err = e.inSpan(span)
	}
	return err
}
