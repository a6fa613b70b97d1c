package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files of the small grid, as COCO's own experiments would have written them.
func TestCOCOByHand(t *testing.T) {
	g, runs := byHand()
	g.Cases[0].Problem = "bbob-8"
	for i, r := range runs {
		runs[i].Problem = strings.Replace(r.Problem, "bowl", "bbob-8", 1)
	}
	dir := t.TempDir()
	files, err := compared(t, g, runs).WriteCOCO(dir)
	if err != nil {
		t.Fatal(err)
	}
	const head = "% function evaluation | noise-free fitness - Fopt (0.000000000000e+00) | best noise-free fitness - Fopt | " +
		"measured fitness | best measured fitness | x1 | x2...\n"
	all := func(queries, gap string) string {
		return queries + " +" + gap + " +" + gap + " +" + gap + " +" + gap + "\n"
	}
	five, last := all("1", "5.000000000e+00"), all("40", "5.000000000e-02")
	first := head + five + all("10", "1.000000000e+00") + all("20", "1.000000000e-01")
	second := head + all("1", "4.000000000e+00") + all("50", "3.000000000e+00")
	want := map[string]string{
		"ours/bbobexp_f8.info": "suite = 'bbob', funcId = 8, DIM = 2, Precision = 1.000e-08, algId = 'ours', logger = 'bbob'\n" +
			"% untwist, seeds instead of instances\ndata_f8/bbobexp_f8_DIM2.dat, 6:20|1.0e-01, 7:100|3.0e+00, 8:40|5.0e-02\n",
		"ours/data_f8/bbobexp_f8_DIM2.dat":  first + second + head + five + last,
		"ours/data_f8/bbobexp_f8_DIM2.tdat": first + second + all("100", "3.000000000e+00") + head + five + last,
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, text)
		}
	}
	if len(files) != 6 { // those of the other method, too; none of the second case
		t.Errorf("files %v", files)
	}
	if g.Cases = g.Cases[1:]; g.HasBBOB() {
		t.Error("comb is no BBOB function")
	}
}
