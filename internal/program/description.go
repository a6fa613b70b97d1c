package program

// A Description says which function a program is: everything in Config that decides the
// values, and nothing that decides only how fast they come.
type Description struct {
	Exec       []string
	Protocol   Protocol
	EOF        bool
	Names      []string
	Templates  []FilledIn
	Result     string
	ResultFile string
	// Executable is the file of the first word of Exec, and other words of it that are
	// files. A digest is "" if the file may not be read.
	Executable []File
}

// FilledIn is a template, by the file that it writes and the digest of its content.
type FilledIn struct{ Name, Digest string }

// Description returns a Description of the program as it was when New was called.
func (o *Objective) Description() any {
	r := o.recipe
	d := Description{
		Exec: r.given, Protocol: r.Protocol, EOF: r.EOF, Names: r.Names,
		ResultFile: r.ResultFile, Executable: r.executable,
	}
	if r.Result != nil {
		d.Result = r.Result.String()
	}
	for _, t := range r.templates {
		d.Templates = append(d.Templates, FilledIn{t.name, t.digest})
	}
	return d
}
