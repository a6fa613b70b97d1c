// The command worded answers points "a n t material" of a number, an integer, a step and a choice, by any
// protocol. It fails where it is not given what it expects. With -o it answers an output too, n·a.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

func value(a, n, t, material string) string {
	x, errX := strconv.ParseFloat(a, 64)
	k, errK := strconv.Atoi(n)
	y, errY := strconv.ParseFloat(t, 64)
	price, known := map[string]float64{"copper": 3, "steel": 1, "aluminium": 2}[material]
	if errX != nil || errK != nil || errY != nil || !known || y*4 != float64(int(y*4)) {
		fmt.Fprintln(os.Stderr, "not what was expected:", a, n, t, material)
		os.Exit(3)
	}
	v := (x-0.3)*(x-0.3) + float64((k-7)*(k-7)) + (y-1.25)*(y-1.25) + price
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if outputs {
		text += " " + strconv.FormatFloat(x*float64(k), 'g', -1, 64)
	}
	return text
}

var outputs bool

func lines(in io.Reader, out io.Writer) {
	for s := bufio.NewScanner(in); s.Scan(); {
		w := strings.Fields(s.Text())
		fmt.Fprintln(out, value(w[0], w[1], w[2], w[3]))
	}
}

func main() {
	args := os.Args[1:]
	if outputs = args[0] == "-o"; outputs {
		args = args[1:]
	}
	switch args[0] {
	case "lines":
		lines(os.Stdin, os.Stdout)
	case "batch":
		in, _ := os.Open(args[1])
		out, _ := os.Create(args[2])
		lines(in, out)
	case "file":
		in, _ := os.Open(args[1])
		lines(in, os.Stdout)
	case "json":
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			var q struct {
				ID int
				X  struct {
					A, N, T  json.Number
					Material string
				}
			}
			if err := json.Unmarshal(s.Bytes(), &q); err != nil {
				fmt.Fprintln(os.Stderr, err, s.Text())
				os.Exit(3)
			}
			fmt.Printf("{\"id\":%d,\"value\":%s}\n", q.ID, value(q.X.A.String(), q.X.N.String(), q.X.T.String(), q.X.Material))
		}
	default:
		fmt.Println(value(args[0], args[1], args[2], args[3]))
	}
}
