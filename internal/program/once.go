package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/untwist/untwist/objective"
)

// once starts a process for each point.
type once struct{ caller }

// serve asks the points one after the other.
func (o *once) serve(ctx context.Context, q *queue) error {
	for {
		jobs := q.take(1)
		if len(jobs) == 0 {
			return nil
		}
		a, err := o.ask(ctx, jobs[0])
		if err != nil {
			return err
		}
		q.tell(jobs[0].index, a)
	}
}

// ask asks for the value of a point, again if the machine failed.
func (o *once) ask(ctx context.Context, j job) (a objective.Answer, err error) {
	err = o.persist(ctx, &j, func() (machine *MachineError, err error) {
		a, machine, err = o.try(ctx, j)
		return machine, err
	})
	return a, err
}

// at says at which job the machine failed, for the last time.
func (e *MachineError) at(j job) error {
	said := *e
	said.Query, said.Tries = j.query, j.errand
	return &said
}

// try asks for the value of a point once.
func (o *once) try(ctx context.Context, j job) (a objective.Answer, machine *MachineError, err error) {
	folder, err := o.prepare(j)
	if err != nil {
		return a, nil, err
	}
	c, err := o.run(ctx, folder, j)
	if err != nil || c.machine != nil {
		o.folders.remove(folder)
		if err == nil {
			machine = c.machine
		}
		return a, machine, err
	}
	r, empty := reply{failure: c.failure}, false
	if r.failure == nil && o.recipe.shape.width > 0 {
		r, empty = o.recipe.shape.found(o.result(folder), c.printed())
	} else if r.failure == nil {
		r.value, r.failure, empty = o.result(folder).read(c.printed())
	}
	// All that are under way at the beginning are first points.
	useless := empty && j.query <= o.recipe.Procs && !o.begun.Load() && !o.recipe.KeepGoing
	if !useless {
		o.begun.Store(true)
	}
	a = r.answer(c.seconds)
	if r.failure == nil {
		o.folders.remove(folder)
		return a, nil, nil
	}
	o.folders.keep(folder, record{
		job: j, failure: r.failure, stdout: c.stdout, stderr: c.stderr,
		command: func(folder string) string { return inDir(o.dir(folder), o.command(folder, j.point)) },
	})
	if useless {
		return a, nil, o.silent()
	}
	return a, nil, nil
}

// silent says that there is no value at all for the first point.
func (o *once) silent() error {
	switch r := o.recipe; {
	case r.ResultFile != "":
		return fmt.Errorf("the program wrote no %s for the first point; its value should be the first number in this file", r.ResultFile)
	case r.uses(outFile):
		return fmt.Errorf("the program wrote nothing into {out} for the first point; its value should be the first number in this file")
	case r.Result != nil:
		return fmt.Errorf("the program printed nothing for the first point; its value should be in what it prints, where %s finds it", r.Result)
	}
	return fmt.Errorf("the program printed nothing for the first point; its value should be the last number that it prints")
}

// prepare makes the work folder of a point, if it needs one, with all files in it.
func (o *once) prepare(j job) (folder string, err error) {
	if !o.recipe.needsFolder() {
		return "", nil
	}
	if folder, err = o.folders.make(); err != nil {
		return "", err
	}
	for _, t := range o.recipe.templates {
		err = t.write(folder, func(p piece) []byte { return o.recipe.value(j.point, p) })
		if err != nil {
			o.folders.remove(folder)
			return "", folderError(err)
		}
	}
	if o.recipe.uses(inFile) {
		if err := os.WriteFile(filepath.Join(folder, inFile), o.folders.appendPoint(nil, j.point), 0o600); err != nil {
			o.folders.remove(folder)
			return "", folderError(err)
		}
	}
	return folder, nil
}

// result says where the value is.
func (o *once) result(folder string) result {
	switch {
	case o.recipe.ResultFile != "":
		return result{file: filepath.Join(folder, o.recipe.ResultFile), name: o.recipe.ResultFile, pattern: o.recipe.Result}
	case o.recipe.uses(outFile):
		return result{file: filepath.Join(folder, outFile), name: "{out}"}
	}
	return result{pattern: o.recipe.Result}
}
