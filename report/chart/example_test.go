package chart_test

import (
	"fmt"
	"strings"

	"github.com/untwist/untwist/report/chart"
)

func Example() {
	picture := string(chart.Bars([]chart.Bar{{Name: "pressure", Parts: []chart.Part{{Component: 0, Share: 0.7}}, Error: 0.02}}, "share of the variance"))
	fmt.Println(strings.HasPrefix(picture, "<svg"))
	// Output: true
}
