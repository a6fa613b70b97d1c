package main

// quick are the documents whose commands are run by default. Those of all others take longer, or
// need more tools.
var quick = []string{"docs/asktell.md", "docs/problems.md"}

// before is what the reader of a document has done before.
var before = map[string]string{}

// A manner says how a command of the manual is run, if not simply as it is written, and what has
// to come of it.
type manner struct {
	instead string // what is run instead
	why     string // it is not run as it is written
	prints  string // a regular expression that finds something in what it prints
	then    string // what is run after it, to see what it has done
}

var manners = map[string]manner{}
