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
		base, files := "sys/fs/cgroup", []string{"cpu.max"} // "max 100000" or "200000 100000"
		if parts[0] != "0" {
			if !strings.Contains(","+parts[1]+",", ",cpu,") {
				continue
			}
			base, files = "sys/fs/cgroup/cpu", []string{"cpu.cfs_quota_us", "cpu.cfs_period_us"}
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) { // its parents limit it too
			limit = min(limit, quota(root, path.Join(base, group), files))
			if group == "/" {
				break
			}
		}
	}
	return limit
}

// quota returns the quota of a group over its period, which are in one file or in two; +Inf:
// there is no limit.
func quota(root fs.FS, dir string, files []string) float64 {
	var all []float64
	for _, file := range files {
		data, err := fs.ReadFile(root, path.Join(dir, file))
		if err != nil {
			return math.Inf(1)
		}
		for word := range strings.FieldsSeq(string(data)) {
			v, _ := strconv.ParseFloat(word, 64) // 0: no number
			all = append(all, v)
		}
	}
	if len(all) != 2 || !(all[0] > 0 && all[1] > 0) {
		return math.Inf(1)
	}
	return all[0] / all[1]
}
