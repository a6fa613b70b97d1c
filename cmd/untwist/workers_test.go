package main

import (
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/cluster"
	"github.com/untwist/untwist/internal/program"
)

// A reader of the list of workers sees who works, how fast, and what failed where.
func TestShowRun(t *testing.T) {
	t.Parallel()
	s := cluster.Status{
		Run: "c53e710c308dbc66", Name: "sim.toml", Highest: 1037, Out: 2, Retries: 3, Differ: 21,
		Workers: []cluster.WorkerStatus{
			{Name: "a", Procs: 2, Working: 1, Points: 1940, Failed: 180, Failure: "exit status 1: no such mesh", Rate: 12.34},
			{Name: "b", Procs: 2, Points: 607, Gone: true, Silent: 18.2},
			{Name: "c", Procs: 1, Points: 343},
			{Name: "d", Procs: 1, Points: 103, Gone: true, Left: true, Excluded: "its value of query 455 is not that of two others"},
			{Name: "f", Procs: 1, Points: 4, Failed: 4, Failure: "exit status 1: no mesh", Excluded: "all its points fail, and others evaluate them: exit status 1: no mesh"},
			{Name: "e", Procs: 1, Points: 9, Gone: true, Left: true},
		},
	}
	var out strings.Builder
	if err := showRun(&out, s); err != nil {
		t.Fatal(err)
	}
	want := `sim.toml, run c53e710c308dbc66: 1,037 queries asked, 2 workers with 3 processes, 2 chunks out, 3 sent again, 21 points with different values
  worker  processes  points  failed  points/s  state
  a       2          1,940   180     12.3      works; last failure: exit status 1: no such mesh
  b       2          607     0       0         gone, silent for 18s
  c       1          343     0       0         waits
  d       1          103     0       0         gets no more work: its value of query 455 is not that of two others
  f       1          4       4       0         gets no more work: all its points fail, and others evaluate them: exit status 1: no mesh
  e       1          9       0       0         left
`
	if out.String() != want {
		t.Errorf("it shows\n%s\nwant\n%s", out.String(), want)
	}
}

// The processes of a worker together keep as many folders as one program.
func TestKeptByAll(t *testing.T) {
	t.Parallel()
	seven := 7
	for _, all := range []*int{nil, new(int), &seven} {
		for procs := 1; procs < 50; procs++ {
			want, sum := program.DefaultKeepFailed, 0
			if all != nil {
				want = *all
			}
			for proc := 1; proc <= procs; proc++ {
				sum += keptBy(proc, procs, all)
			}
			if sum != want {
				t.Errorf("%d processes keep %d folders, want %d", procs, sum, want)
			}
		}
	}
}
