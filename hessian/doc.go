// Package hessian estimates first and second derivatives of a function from
// its values alone, by finite differences along given directions.
//
// A Stencil says at which points to ask and how to weigh the answers; At asks
// and returns an Estimate. Step chooses the step by looking at f.
package hessian
