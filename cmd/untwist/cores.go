package main

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
)

// coresAllowed returns how many processes a worker should run at the same time: as many cores
// as the scheduler has given it, or the control group allows, or the machine has.
func coresAllowed() int {
	return cores(os.DirFS("/"), os.Getenv, runtime.NumCPU())
}

// cores is coresAllowed on a machine with these files, variables and processors.
func cores(root fs.FS, getenv func(string) string, cpus int) int {
	if n, err := strconv.Atoi(getenv("SLURM_CPUS_PER_TASK")); err == nil && n > 0 {
		return n
	}
	if limit := cgroupLimit(root); limit < float64(cpus) {
		return max(int(math.Ceil(limit)), 1)
	}
	return max(cpus, 1)
}

// cgroupLimit returns how many processors the control groups of this process allow, of version
// 2 or 1; +Inf: they do not limit it.
func cgroupLimit(root fs.FS) float64 {
	limit := math.Inf(1)
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limit
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, read := "sys/fs/cgroup", quota2
		if parts[0] != "0" {
			if !strings.Contains(","+parts[1]+",", ",cpu,") {
				continue
			}
			base, read = "sys/fs/cgroup/cpu", quota1
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) { // its parents limit it too
			limit = min(limit, read(root, path.Join(base, group)))
			if group == "/" {
				break
			}
		}
	}
	return limit
}

// quota2 reads cpu.max: "max 100000" or "200000 100000".
func quota2(root fs.FS, dir string) float64 {
	data, err := fs.ReadFile(root, path.Join(dir, "cpu.max"))
	words := strings.Fields(string(data))
	if err != nil || len(words) != 2 {
		return math.Inf(1)
	}
	return share(words[0], words[1])
}

// quota1 reads the two files of version 1.
func quota1(root fs.FS, dir string) float64 {
	quota, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return math.Inf(1)
	}
	period, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return math.Inf(1)
	}
	return share(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

// share returns quota/period; +Inf: there is no limit.
func share(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return math.Inf(1)
	}
	return q / p
}
