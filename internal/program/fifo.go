package program

import "slices"

// A fifo is a queue of jobs.
type fifo struct {
	jobs []job
	head int
}

func (f *fifo) len() int   { return len(f.jobs) - f.head }
func (f *fifo) all() []job { return f.jobs[f.head:] }
func (f *fifo) clear()     { f.jobs, f.head = f.jobs[:0], 0 }

func (f *fifo) push(jobs []job) {
	if f.head > len(f.jobs)/2 { // each is moved once
		f.jobs, f.head = append(f.jobs[:0], f.jobs[f.head:]...), 0
	}
	f.jobs = append(f.jobs, jobs...)
}

// remove takes out the first job, or that of a query. It says whether there is one.
func (f *fifo) remove(query int) (job, bool) {
	i := 0
	if query > 0 {
		i = slices.IndexFunc(f.all(), func(j job) bool { return j.query == query })
	}
	if i < 0 || i >= f.len() {
		return job{}, false
	}
	j := f.all()[i]
	copy(f.jobs[f.head+1:f.head+i+1], f.jobs[f.head:f.head+i])
	f.head++
	return j, true
}
