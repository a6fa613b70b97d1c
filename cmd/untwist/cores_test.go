package main

import (
	"testing"
	"testing/fstest"
)

// A worker runs as many processes as the scheduler gives it cores, or the control groups
// allow, or the machine has.
func TestCores(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, c := range map[string]struct {
		files fstest.MapFS
		slurm string
		want  int
	}{
		"nothing":       {nil, "", 8},
		"slurm":         {nil, "3", 3},
		"slurm, absurd": {nil, "0", 8},
		"version 2":     {fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/b/cpu.max": file("250000 100000\n")}, "", 3},
		"a parent":      {fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/b/cpu.max": file("max 100000\n"), "sys/fs/cgroup/a/cpu.max": file("100000 100000\n")}, "", 1},
		"no limit":      {fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/cpu.max": file("max 100000\n")}, "", 8},
		"more":          {fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/cpu.max": file("6400000 100000\n")}, "", 8},
		"a tiny share":  {fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/cpu.max": file("1000 100000\n")}, "", 1},
		"version 1": {fstest.MapFS{
			"proc/self/cgroup":                          file("5:memory:/x\n4:cpu,cpuacct:/x\n"),
			"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us":      file("200000\n"),
			"sys/fs/cgroup/cpu/x/cpu.cfs_period_us":     file("100000\n"),
			"sys/fs/cgroup/memory/x/cpu.cfs_quota_us":   file("1\n"),
			"sys/fs/cgroup/memory/x/cpu.cfs_period_us":  file("1\n"),
			"sys/fs/cgroup/cpu/x/memory.limit_in_bytes": file("1\n"),
		}, "", 2},
		"version 1, no limit": {fstest.MapFS{
			"proc/self/cgroup": file("4:cpu,cpuacct:/\n"), "sys/fs/cgroup/cpu/cpu.cfs_quota_us": file("-1\n"), "sys/fs/cgroup/cpu/cpu.cfs_period_us": file("100000\n"),
		}, "", 8},
	} {
		if got := cores(c.files, func(string) string { return c.slurm }, 8); got != c.want {
			t.Errorf("%s: %d cores, want %d", name, got, c.want)
		}
	}
}
