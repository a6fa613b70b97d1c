// The command several answers several numbers for points of two parameters, by any protocol: a value
// and two outputs, or with -r three residuals and one output.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func numbers(residuals bool, x, y float64) []float64 {
	if residuals {
		return []float64{10 * (y - x*x), 1 - x, 0.1 * (x + y - 3), x * y}
	}
	if x > 4.5 {
		return nil // it fails there
	}
	return []float64{x + 2*y, x * y, x - y}
}

func text(all []float64) string {
	if all == nil {
		return "nan"
	}
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}

func object(residuals bool, all []float64) map[string]any {
	switch {
	case all == nil:
		return map[string]any{"error": "beyond"}
	case residuals:
		return map[string]any{"residuals": all[:3], "outputs": map[string]float64{"area": all[3]}}
	}
	return map[string]any{"value": all[0], "outputs": map[string]float64{"area": all[1], "wide": all[2]}}
}

func lines(in *os.File, out *os.File, residuals bool) {
	for s := bufio.NewScanner(in); s.Scan(); {
		var x, y float64
		fmt.Sscan(s.Text(), &x, &y)
		fmt.Fprintln(out, text(numbers(residuals, x, y)))
	}
}

func main() {
	args := os.Args[1:]
	residuals := args[0] == "-r"
	if residuals {
		args = args[1:]
	}
	switch args[0] {
	case "lines":
		lines(os.Stdin, os.Stdout, residuals)
	case "batch":
		in, _ := os.Open(args[1])
		out, _ := os.Create(args[2])
		lines(in, out, residuals)
	case "json":
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			var q struct {
				ID int
				X  struct{ A, B float64 }
			}
			json.Unmarshal(s.Bytes(), &q)
			all := object(residuals, numbers(residuals, q.X.A, q.X.B))
			all["id"] = q.ID
			line, _ := json.Marshal(all)
			fmt.Println(string(line))
		}
	case "binary":
		for n := uint32(0); binary.Read(os.Stdin, binary.LittleEndian, &n) == nil; {
			for range n {
				var p [2]float64
				binary.Read(os.Stdin, binary.LittleEndian, &p)
				all := numbers(residuals, p[0], p[1])
				if all == nil {
					all = make([]float64, 3)
					all[0] /= all[0] // NaN
				}
				binary.Write(os.Stdout, binary.LittleEndian, all)
			}
		}
	case "once", "object":
		x, _ := strconv.ParseFloat(args[1], 64)
		y, _ := strconv.ParseFloat(args[2], 64)
		all := numbers(residuals, x, y)
		if all == nil {
			os.Exit(3)
		}
		if args[0] == "object" {
			fields := object(residuals, all)
			for name, v := range fields["outputs"].(map[string]float64) {
				fields[name] = v
			}
			delete(fields, "outputs")
			line, _ := json.Marshal(fields)
			fmt.Println(string(line))
			return
		}
		fmt.Printf("area %v\nwide %v\nmass %v\n", strconv.FormatFloat(all[1], 'g', -1, 64), strconv.FormatFloat(all[2], 'g', -1, 64), strconv.FormatFloat(all[0], 'g', -1, 64))
	}
}
