package experiment

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// WriteCOCO writes the runs on BBOB functions as COCO's experiments do, for its post-processing
// (cocopp): a folder for each method, DIR/METHOD, and in it for function N
//
//	bbobexp_fN.info               which dimensions, instances, queries and final gaps there are
//	data_fN/bbobexp_fN_DIMd.dat   a line for each gap 10^(k/5) that a run was the first time below
//	data_fN/bbobexp_fN_DIMd.tdat  a line for numbers of queries that grow geometrically
//
// Instance s + 1 is our seed s: the functions are COCO's, shifts and rotations are our own. Since
// they are known, values are given as gaps, with Fopt = 0. Other cases (other problems, noise,
// maps) have no place there. WriteCOCO returns the files that it wrote.
func (c Comparison) WriteCOCO(dir string) (files []string, err error) {
	for j, m := range c.Methods {
		texts := map[string]*bytes.Buffer{}
		for i, s := range c.Cases {
			n, is := s.bbob()
			if _, runs := c.cell(i, j); is && len(runs) > 0 {
				s.toCOCO(n, m.Name, runs, func(name string) *bytes.Buffer {
					if texts[name] == nil {
						texts[name] = &bytes.Buffer{}
					}
					return texts[name]
				})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			path := filepath.Join(dir, m.Name, name)
			if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
				err = atomicfile.Write(path, texts[name].Bytes())
			}
			if err != nil {
				return files, err
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// HasBBOB reports whether the grid has a case for WriteCOCO.
func (g Grid) HasBBOB() bool {
	return slices.ContainsFunc(g.Cases, func(c Case) bool { _, is := c.bbob(); return is })
}

// bbob returns the number of a function that COCO has, too.
func (c Case) bbob() (n int, is bool) {
	number, is := strings.CutPrefix(c.Problem, "bbob-")
	n, err := strconv.Atoi(number)
	return n, is && err == nil && c.Options == ""
}

// toCOCO adds the runs of a method on function n to the files of these names.
func (s Setup) toCOCO(n int, method string, runs []store.Run, file func(name string) *bytes.Buffer) {
	suite := "bbob"
	if s.Mix == "block" { // rotations in blocks
		suite = "bbob-largescale"
	}
	data := fmt.Sprintf("data_f%d/bbobexp_f%d_DIM%d", n, n, s.Dim)
	info := file(fmt.Sprintf("bbobexp_f%d.info", n))
	fmt.Fprintf(info, "suite = '%s', funcId = %d, DIM = %d, Precision = 1.000e-08, algId = '%s', logger = 'bbob'\n", suite, n, s.Dim, method)
	fmt.Fprintf(info, "%% untwist, seeds instead of instances\n%s.dat", data)
	for _, r := range runs {
		end := objective.Sample{Queries: r.Queries, Value: gapAt(r.Curve, r.Queries)}
		fmt.Fprintf(info, ", %d:%d|%.1e", r.Seed+1, end.Queries, end.Value)
		curve := r.Curve
		cocoLines(file(data+".dat"), slices.CompactFunc(slices.Clone(curve), func(a, b objective.Sample) bool { return a.Value == b.Value }))
		if len(curve) == 0 || curve[len(curve)-1].Queries < end.Queries {
			curve = append(slices.Clip(curve), end)
		}
		cocoLines(file(data+".tdat"), curve)
	}
	fmt.Fprintln(info)
}

// cocoLines writes how a run went.
func cocoLines(file *bytes.Buffer, curve []objective.Sample) {
	file.WriteString("% function evaluation | noise-free fitness - Fopt (0.000000000000e+00) | best noise-free fitness - Fopt | " +
		"measured fitness | best measured fitness | x1 | x2...\n")
	for _, s := range curve {
		fmt.Fprintf(file, "%d %+.9[2]e %+.9[2]e %+.9[2]e %+.9[2]e\n", s.Queries, s.Value)
	}
}
