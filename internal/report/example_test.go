package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
)

// A run of one's own function, of which no minimum is known: in pictures and as JSON.
func Example() {
	f := objective.Func(2, func(x []float64) float64 { return (x[0]-1)*(x[0]-1) + (x[1]+2)*(x[1]+2) })
	result, err := untwist.Minimize(context.Background(), f, untwist.Options{Target: new(1e-9)})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := report.Run{Subject: report.Subject{Name: "two squares", Dim: 2}, Result: result}

	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := run.Draw(dir); err != nil {
		fmt.Println(err)
		return
	}
	pictures, _ := filepath.Glob(filepath.Join(dir, "*.svg"))
	fmt.Println("pictures:", len(pictures) > 0)

	text, err := json.Marshal(run)
	if err != nil {
		fmt.Println(err)
		return
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		fmt.Println(err)
		return
	}
	_, known := object["gap"]
	fmt.Println(object["problem"], object["status"], "with a gap:", known)
	// Output:
	// pictures: true
	// two squares target-reached with a gap: false
}
