// Command arm64 is the first process of the emulated machine of .ci/machine, and the program of the
// user there: it minimises, kills a run, resumes it, and switches the machine off.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if os.Getpid() != 1 {
		simulate()
		return
	}
	if err := try(); err != nil {
		fmt.Println("FAILED:", err)
	} else {
		fmt.Println("ALL IS WELL")
	}
	syscall.Sync()
	_ = syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
}

// simulate reads points and prints values, slowly enough to be killed on the way.
func simulate() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		sum := 0.0
		for i, word := range strings.Fields(lines.Text()) {
			v, _ := strconv.ParseFloat(word, 64)
			sum += (v - float64(i)) * (v - float64(i))
		}
		time.Sleep(5 * time.Millisecond)
		fmt.Println(strconv.FormatFloat(sum, 'g', -1, 64))
	}
}

// found is what minimize prints as JSON.
type found struct {
	Value   float64   `json:"best_value"`
	Point   []float64 `json:"best_point"`
	Queries int       `json:"queries"`
	Resumed int       `json:"resumed_queries"`
}

func minimize(words ...string) (f found, err error) {
	c := exec.Command("/untwist", append([]string{"minimize", "--json", "--quiet"}, words...)...)
	c.Stderr = os.Stdout
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	fmt.Printf("untwist minimize %s: %+v %v\n", strings.Join(words, " "), f, err)
	return f, err
}

func try() error {
	for _, m := range [][2]string{{"proc", "/proc"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"}} {
		_ = os.Mkdir(m[1], 0o755)
		if err := syscall.Mount(m[0], m[1], m[0], 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", m[1], err)
		}
	}
	if f, err := minimize("--problem", "rastrigin", "--dim", "5"); err != nil || f.Value > 1e-8 {
		return fmt.Errorf("built-in: %v, %v", f.Value, err)
	}
	own := []string{"--exec", "/init", "--dim", "3", "--bounds", "-5:5", "--budget", "300"}
	whole, err := minimize(own...)
	if err != nil || whole.Value > 1e-3 {
		return fmt.Errorf("own program: %v, %v", whole.Value, err)
	}
	own = append(own, "--journal", "/tmp/run.journal")
	killed := exec.Command("/untwist", append([]string{"minimize"}, own...)...)
	if err := killed.Start(); err != nil {
		return err
	}
	for i := 0; i < 3000; i++ {
		if info, err := os.Stat("/tmp/run.journal"); err == nil && info.Size() > 2500 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := killed.Process.Kill(); err != nil {
		return err
	}
	_ = killed.Wait() // which says that it was killed
	resumed, err := minimize(own...)
	switch {
	case err != nil:
		return err
	case resumed.Resumed == 0 || resumed.Resumed >= resumed.Queries:
		return fmt.Errorf("of %d queries %d were resumed", resumed.Queries, resumed.Resumed)
	case resumed.Value != whole.Value || !slices.Equal(resumed.Point, whole.Point) || resumed.Queries != whole.Queries:
		return fmt.Errorf("resumed %+v, whole %+v", resumed, whole)
	}
	return nil
}
