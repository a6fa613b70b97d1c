package program

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

func init() { programs["seeker"] = seek }

// A task is what an optimiser reads first.
type task struct {
	Dim          int
	Lower, Upper []float64
	Budget       int
	Seed         uint64
}

// point draws a point: a random search.
func (k task) point(r *rand.Rand) []float64 {
	x := make([]float64, k.Dim)
	for i := range x {
		x[i] = k.Lower[i] + float64(r.Float64()*(k.Upper[i]-k.Lower[i]))
	}
	return x
}

func (k task) rand() *rand.Rand { return rand.New(rand.NewPCG(k.Seed, 1)) }

// seek is an optimiser. Its words are a token by which a test finds it, what it does, and
// more. All that it reads goes to the file of the environment variable LOG, if there is one.
func seek(args []string) {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	log, _ := os.Create(os.Getenv("LOG")) // nil: nothing is written
	read := func(v any) bool {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return false
		}
		log.Write(line)
		if err := json.Unmarshal(line, v); err != nil {
			panic(err)
		}
		return true
	}
	var k task
	if args[1] == "silent" || !read(&k) {
		hang()
	}
	number := func(i int) int {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			panic(err)
		}
		return n
	}
	r := k.rand()
	ask := func(n int) {
		var batch struct {
			Points [][]float64 `json:"points"`
		}
		for range n {
			batch.Points = append(batch.Points, k.point(r))
		}
		json.NewEncoder(out).Encode(batch)
		out.Flush()
	}
	var told struct{ Values []*float64 }
	switch args[1] {
	case "search": // so many points at a time, so often; 0: until the end of the input
		for i := 0; number(3) == 0 || i < number(3); i++ {
			ask(number(2))
			if !read(&told) {
				return
			}
		}
	case "linger":
		ask(1)
		for read(&told) {
		}
		hang()
	case "ahead": // asks so often before it reads
		for range number(3) {
			ask(number(2))
		}
		n := 0
		for read(&told) {
			n++
		}
		fmt.Fprintln(log, "lines:", n)
	case "deaf":
		os.Stdin.Close()
		for {
			ask(1)
		}
	case "say":
		fmt.Print(strings.ReplaceAll(args[2], "|", "\n"))
		for read(&told) {
		}
	case "last":
		fmt.Print(args[2])
	case "exit":
		fmt.Fprint(os.Stderr, "Traceback\nKeyError: 'dim'\n\n")
		os.Exit(number(2))
	case "crash":
		ask(1)
		die(syscall.SIGHUP)
	case "hush":
		ask(1)
		os.Stdout.Close()
		hang()
	case "fork": // leaves a process behind
		left := exec.Command(os.Args[0], "as", "seeker", args[0], "silent")
		left.Stdin, left.Stdout, left.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := left.Start(); err != nil {
			panic(err)
		}
		ask(1)
		read(&told)
	}
}
