package program

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/untwist/untwist/internal/words"
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

func (o *once) result(folder string) result {
	switch {
	case o.recipe.ResultFile != "":
		return result{file: filepath.Join(folder, o.recipe.ResultFile), name: o.recipe.ResultFile, pattern: o.recipe.Result}
	case o.recipe.uses(outFile):
		return result{file: filepath.Join(folder, outFile), name: "{out}"}
	}
	return result{pattern: o.recipe.Result}
}

// batch starts a process for each batch.
type batch struct{ caller }

// serve asks for all points at once. If it goes wrong, it asks for one after the other: then
// the failure is that of a point.
func (b *batch) serve(ctx context.Context, q *queue) error {
	jobs := q.take(math.MaxInt)
	if len(jobs) == 0 {
		return nil
	}
	good, err := b.ask(ctx, q, jobs)
	if good || err != nil {
		return err
	}
	for _, j := range jobs {
		if _, err := b.ask(ctx, q, []job{j}); err != nil {
			return err
		}
	}
	return nil
}

// ask asks for points in one call and answers them. If there are several and the call
// failed, it reports so and answers none. A single point is always answered, after it was
// tried again if the machine failed.
func (b *batch) ask(ctx context.Context, q *queue, jobs []job) (good bool, err error) {
	err = b.persist(ctx, &jobs[0], func() (machine *MachineError, err error) {
		if good, machine, err = b.try(ctx, q, jobs); len(jobs) > 1 {
			machine = nil
		}
		return machine, err
	})
	return good, err
}

// try makes one call.
func (b *batch) try(ctx context.Context, q *queue, jobs []job) (good bool, machine *MachineError, err error) {
	folder, err := b.folders.make()
	if err != nil {
		return false, nil, err
	}
	defer func() { b.folders.remove(folder) }()
	if err := b.writePoints(folder, jobs); err != nil {
		return false, nil, folderError(err)
	}
	c, err := b.run(ctx, folder, job{query: jobs[0].query, errand: jobs[0].errand})
	if err != nil {
		return false, nil, err
	}
	if c.machine != nil {
		return false, c.machine, nil
	}
	first := !b.begun.Swap(true) && jobs[0].query == 1
	failure := c.failure
	var lines [][]byte
	if failure == nil {
		lines, failure = readLines(filepath.Join(folder, outFile), len(jobs), b.recipe.shape.width)
		if failure != nil && first && !b.recipe.KeepGoing {
			return false, nil, fmt.Errorf("the first call of the program, with %s: %w; {out} should have one line for each point, with its value",
				words.Count(len(jobs), "point", "points"), failure)
		}
	}
	if failure != nil && len(jobs) > 1 {
		return false, nil, nil
	}
	for i, j := range jobs {
		r := reply{failure: failure}
		if failure == nil {
			r = b.read(lines[i])
		}
		b.answer(q, j, r, c, len(jobs))
	}
	return true, nil, nil
}

// answer answers one point of a call with n points.
func (b *batch) answer(q *queue, j job, r reply, c *call, n int) {
	if r.failure != nil {
		b.folders.keep("", record{
			job: j, failure: r.failure, stdout: c.stdout, stderr: c.stderr,
			command: func(folder string) string {
				_ = b.writePoints(folder, []job{j}) // so that the command can be tried
				return inDir(b.dir(folder), b.command(folder, nil))
			},
		})
	}
	q.tell(j.index, r.answer(c.seconds/float64(n)))
}

func (b *batch) read(line []byte) reply {
	if s := b.recipe.shape; s.width > 0 {
		return s.row(line, true)
	}
	v, failure := lineValue(line)
	return reply{value: v, failure: failure}
}

func (b *batch) writePoints(folder string, jobs []job) error {
	var text []byte
	for i := range jobs {
		text, _ = lines{space: b.recipe.Space}.encode(text, jobs[i:])
	}
	return os.WriteFile(filepath.Join(folder, inFile), text, 0o600)
}

// readLines reads the n lines of a file, and fails if there are more or fewer. Blank lines
// at the end do not count.
func readLines(path string, n, width int) ([][]byte, *objective.Failure) {
	// Whatever is longer than this has too many lines, or is not numbers.
	text, err := readRegular(path, int64(n)*int64(1024+64*width)+mostOutput)
	if err != nil {
		return nil, noNumber("{out} %v", err)
	}
	text = bytes.TrimRight(text, " \t\r\n")
	var lines [][]byte
	if len(text) > 0 {
		lines = bytes.Split(text, []byte("\n"))
	}
	if len(lines) != n {
		return nil, noNumber("{out} has %s for %s", words.Count(len(lines), "line", "lines"), words.Count(n, "point", "points"))
	}
	return lines, nil
}

// lineValue reads the value in a line.
func lineValue(line []byte) (float64, *objective.Failure) {
	v, ok := parseNumber(string(line))
	switch {
	case !ok:
		return 0, noNumber("its line in {out} is not a number: %s", quoted(line))
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, notANumber(v)
	}
	return v, nil
}
