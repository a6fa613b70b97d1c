package page_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
)

func Example() {
	f := objective.Func(4, func(x []float64) float64 {
		a, b := x[0]+x[1]-1, x[2]-x[3]
		return a*a*a*a + a*a + 3*b*b + b*b*b*b
	})
	result, err := untwist.Minimize(context.Background(), f, untwist.Options{Bounds: objective.Cube(4, -3, 3), Budget: 5000})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := page.Page{Run: report.Run{Subject: report.Subject{Name: "two combinations", Dim: 4}, Result: result}}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		fmt.Println(err)
		return
	}
	_, rest, _ := strings.Cut(out.String(), `id="verdict">`)
	verdict, _, _ := strings.Cut(rest, ":")
	fmt.Println(verdict)
	// Output:
	// The function depends on only 2 combinations of its 4 parameters, and is a sum of 2 functions of one variable, one for each combination
}
