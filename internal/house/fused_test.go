package house

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var compile = flag.Bool("compile", false, "compile the algorithms for two processors, and see that nothing fuses unasked")

// The compiler may fuse x*y + z where the processor can: on arm64, and on
// amd64 with GOAMD64=v3. Results would then depend on the build. So a product
// that goes into a sum is converted, float64(x*y), which forbids that; where
// fusing is meant it says math.FMA.
//
// This compiles the standard library twice, and so it runs only when it is
// asked for: go test ./internal/house -compile
func TestNothingFusesUnasked(t *testing.T) {
	if !*compile {
		return
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	fused := regexp.MustCompile(`\(([^()]+\.go):(\d+)\)\s+(VFN?M(ADD|SUB)|FN?M(ADD|SUB)D)`)
	for _, build := range []string{"GOARCH=amd64 GOAMD64=v3", "GOARCH=arm64"} {
		args := []string{"build", "-gcflags=-S"}
		for _, r := range rooms(t) {
			if slices.Contains(algorithms, r.name) || r.name == "objective" || r.name == "." {
				args = append(args, "./"+r.name)
			}
		}
		command := exec.Command("go", args...)
		command.Dir = root
		command.Env = append(os.Environ(), strings.Fields(build)...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", build, err, out)
		}
		asked := 0
		for _, found := range fused.FindAllStringSubmatch(string(out), -1) {
			if strings.Contains(found[1], "@") {
				continue // inlined from another module
			}
			line := sourceLine(t, root, found[1], found[2])
			if strings.Contains(line, "math.FMA") {
				asked++
			} else {
				t.Errorf("%s: %s:%s fuses: %s", build, found[1], found[2], line)
			}
		}
		if asked == 0 {
			t.Errorf("%s: no math.FMA found: is this how the compiler still writes it?", build)
		}
	}
}

// sourceLine returns a line of a file, whose name may be relative to dir.
func sourceLine(t *testing.T, dir, file, number string) string {
	t.Helper()
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(number)
	return strings.TrimSpace(strings.Split(string(text), "\n")[n-1])
}
