// Formula is what the programs in scripts compute with, since sh has no numbers and awk is not
// everywhere: formula [-id | -surplus N] NAME [FORMAT [OFFSET]] reads lines of numbers and prints
// the value of each. With -id the first word of a line is printed before its value. With -surplus
// there is a line too many before the N-th value, and the second value takes a second: after that
// nobody trusts the answers because of a moment of silence.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

var formulas = map[string]func(x []float64) float64{
	"sum":     func(x []float64) float64 { return over(x, func(_ int, v float64) float64 { return v }) },
	"squares": func(x []float64) float64 { return over(x, func(_ int, v float64) float64 { return v * v }) },
	"bowl":    func(x []float64) float64 { return over(x, func(_ int, v float64) float64 { return sq(v - 0.5) }) },
	"stairs": func(x []float64) float64 {
		return 50 + over(x, func(i int, v float64) float64 { return sq(v - float64(i+1)) })
	},
	"valley": valley,
	"cliff": func(x []float64) float64 {
		if x[1] > 4.4 {
			fail("too deep")
		}
		return valley(x)
	},
	"ridges": func(x []float64) float64 {
		if x[1] > 4.5 {
			fail(fmt.Sprintf("too deep: %g", x[1]))
		}
		u, v := math.Log(x[0]/2e-4)+x[1], math.Log(x[0]/2e-4)-x[1]
		return sq(u) + sq(sq(u))/50 + 3*sq(v) + sq(sq(v))/10
	},
	"bend":  func(x []float64) float64 { return sq(x[0]-1) + 3*sq(x[1]+2) + (x[0]-1)*x[1] + math.Sin(x[1]) },
	"cross": func(x []float64) float64 { return sq(math.Log(x[0])+x[1]) + sq(sq(math.Log(x[0])-x[1])) },
}

func valley(x []float64) float64 {
	return sq(math.Log(x[0]/1e-4)) + sq(x[1]-1) + over(x[2:], func(_ int, v float64) float64 { return v })
}

func sq(v float64) float64 { return v * v }

func over(x []float64, f func(int, float64) float64) (sum float64) {
	for i, v := range x {
		sum += f(i, v)
	}
	return sum
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(4)
}

func number(word string) float64 {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		fail(err.Error())
	}
	return v
}

func main() {
	args, id, surplus := os.Args[1:], false, 0.0
	switch args[0] {
	case "-id":
		args, id = args[1:], true
	case "-surplus":
		args, surplus = args[2:], number(args[1])
	}
	format, offset := "%.17g", 0.0
	if len(args) > 1 {
		format = args[1]
	}
	if len(args) > 2 {
		offset = number(args[2])
	}
	n := 0.0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch n++; {
		case n == surplus:
			fmt.Println(0.0123)
		case surplus > 0 && n == 2:
			time.Sleep(time.Second)
		}
		if id {
			fmt.Print(words[0], " ")
			words = words[1:]
		}
		var x []float64
		for _, w := range words {
			x = append(x, number(w))
		}
		fmt.Printf(format+"\n", formulas[args[0]](x)+offset)
	}
}
