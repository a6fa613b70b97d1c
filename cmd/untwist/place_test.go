package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/untwist/untwist/internal/needs"
)

// configuredServer is nats-server, from the module: nats-server -c FILE.
func configuredServer() {
	flags := flag.NewFlagSet("nats-server", flag.ExitOnError)
	options, err := server.ConfigureOptions(flags, os.Args[1:], flags.Usage, flags.Usage, flags.Usage)
	if err == nil {
		var s *server.Server
		if s, err = server.NewServer(options); err == nil {
			s.ConfigureLogger()
			s.Start()
			s.WaitForShutdown()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A place is a folder in which the commands and scripts of docs/cluster.md work: it has a
// problem file, and programs in bin. Those of other makers are stand-ins that start processes
// on this machine.
type place struct {
	*site
	document string
}

// standIns do for the tests what the programs of their names do for scripts.
var standIns = map[string]string{
	"hostname": `echo localhost`,
	// srun --OPTION=VALUE… COMMAND: SLURM_NTASKS processes.
	"srun": `
while :; do
	case $1 in
	--cpus-per-task=*) cpus=${1#*=} ;;
	--kill-on-bad-exit=0) ;;
	-*) echo "srun: what is $1?" >&2; exit 1 ;;
	*) break ;;
	esac
	shift
done
for i in $(seq "$SLURM_NTASKS"); do SLURM_CPUS_PER_TASK=$cpus "$@" & all="$all $!"; done
status=0
for pid in $all; do wait "$pid" || status=$?; done
exit $status`,
	// ssh -n HOST COMMAND
	"ssh": `
[ "$1" = -n ] || { echo "ssh would read what is for others: $*" >&2; exit 255; }
echo "$2" >>"$CONTAINERS/hosts"
cd / && exec sh -c "$3" </dev/null`,
	// docker run OPTIONS… IMAGE COMMAND, docker stop NAME
	"docker": `
if [ "$1" = stop ]; then
	read -r pid grace <"$CONTAINERS/$2"
	kill -TERM "$pid"
	while [ -e "$CONTAINERS/$2" ]; do
		[ "$grace" -gt 0 ] || { kill -KILL "$pid"; exit; }
		grace=$((grace - 1)); sleep 0.1
	done
	exit
fi
[ "$1" = run ] || exit 125
shift
while :; do
	case $1 in
	--rm | --init) shift ;;
	--name) name=$2; shift 2 ;;
	--cpus) cpus=$2; shift 2 ;;
	--stop-timeout) grace=$2; shift 2 ;;
	-v) from=${2%%:*} to=${2#*:}; shift 2 ;;
	-w) dir=$2; shift 2 ;;
	-*) echo "docker: what is $1?" >&2; exit 125 ;;
	*) break ;;
	esac
done
shift # the image
cd "$from${dir#"$to"}" || exit 125
SLURM_CPUS_PER_TASK=$cpus "$@" & # instead of a control group
echo "$! $((grace * 10))" >"$CONTAINERS/$name"
wait $!
status=$?
rm "$CONTAINERS/$name"
exit $status`,
}

// newPlace makes a place with a problem of a few parameters, to which the subject of its site
// refers.
func newPlace(t *testing.T, budget string) *place {
	t.Helper()
	p := &place{site: newSite(t, budget, "sim.toml")}
	text, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	p.document = string(text)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	err = os.Mkdir(filepath.Join(p.dir, "bin"), 0o755)
	for _, name := range []string{"untwist", "nats-server"} { // TestMain goes by the name
		err = errors.Join(err, os.Symlink(self, filepath.Join(p.dir, "bin", name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range standIns {
		p.write(t, filepath.Join("bin", name), "#!/bin/sh\n"+text+"\n")
	}
	p.write(t, "sim.toml", "[objective]\nexec = \"./bench\"\n[parameters]\n"+
		"a = { min = -3, max = 3 }\nb = { min = -3, max = 3 }\nc = { min = -3, max = 3 }\n[run]\nbudget = "+budget+"\n")
	return p
}

// write writes a file, which can be run.
func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// read reads a file.
func (p *place) read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// block returns the first block of the document below a heading, in which some words are
// replaced. It fails if one of them is not there.
func (p *place) block(t *testing.T, heading string, replaced map[string]string) string {
	t.Helper()
	_, text, found := strings.Cut(p.document, "\n### "+heading+"\n")
	_, text, begins := strings.Cut("\n"+text, "\n```")
	_, text, _ = strings.Cut(text, "\n")
	text, _, ends := strings.Cut(text, "\n```\n")
	if !found || !begins || !ends {
		t.Fatalf("docs/cluster.md has no block below %s", heading)
	}
	return swap(t, text+"\n", replaced)
}

// line returns the line of the document that begins with some words, in which some words are
// replaced.
func (p *place) line(t *testing.T, begins string, replaced map[string]string) string {
	t.Helper()
	for line := range strings.Lines(p.document) {
		if strings.HasPrefix(line, "    "+begins) {
			return swap(t, line, replaced)
		}
	}
	t.Fatalf("docs/cluster.md has no line that begins with %s", begins)
	return ""
}

// swap replaces words.
func swap(t *testing.T, text string, replaced map[string]string) string {
	t.Helper()
	for _, old := range slices.Sorted(maps.Keys(replaced)) {
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %s in\n%s", old, text)
		}
		text = strings.ReplaceAll(text, old, replaced[old])
	}
	return text
}

// sh starts a script. Everything that it starts finds the programs of the place.
func (p *place) sh(t *testing.T, name, script string, environ ...string) *proc {
	t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Env = append(os.Environ(), "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"), "BENCH_LOG="+p.log,
		"BENCH_PAUSE="+p.pause.String(), "TMPDIR="+p.dir, "CONTAINERS="+p.dir)
	c.Env = append(c.Env, environ...)
	return p.launch(t, name, c)
}

// launch starts a process of the site.
func (p *place) launch(t *testing.T, name string, c *exec.Cmd) *proc {
	t.Helper()
	started := &proc{Cmd: c, name: name, ended: make(chan struct{})}
	c.Dir, c.Stdout, c.Stderr = p.dir, &started.out, &started.err
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = c.Wait(); close(started.ended) }()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.procs = append(p.procs, started)
	return started
}

// certified makes a certificate for localhost, c.pem, and its key, k.pem, as the document
// says, and a secret.
func (p *place) certified(t *testing.T) {
	t.Helper()
	needs.Tools(t, "openssl")
	script := p.line(t, "openssl rand", nil) + p.line(t, "openssl req", map[string]string{"host": "localhost"})
	if made := p.sh(t, "openssl", script); made.wait(t) != 0 {
		t.Fatal(made.err.String())
	}
}
