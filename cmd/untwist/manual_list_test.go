package main

// few are the documents whose commands are run by default, but for those that compile or start
// Python.
var few = []string{"docs/journal.md", "docs/asktell.md", "docs/cmaes.md"}

// before is what the reader of a document has, or has done, before.
var before = map[string]string{
	"python/README.md":     "pip install ./python",
	"docs/calibration.md":  "pip install ./python",
	"docs/constraints.md":  "pip install ./python",
	"docs/integers.md":     "pip install ./python",
	"docs/interactions.md": "pip install ./python",
	"docs/install.md":      `python/build "$PWD"`,
	"docs/optimisers.md":   "cd examples", // it says so
	"docs/cluster.md": `cat >sim <<'END'
#!/bin/sh
exec awk -v a="$1" -v b="$2" 'BEGIN { printf "%.17g\n", (a - 1)^2 + b^2 }'
END
chmod +x sim
printf '[objective]\nexec = "./sim {a} {b}"\n[parameters]\na = { min = -3, max = 3 }\nb = { min = -3, max = 3 }\n[run]\nbudget = 200\n' >sim.toml
ln -s "$(readlink -f "$(command -v untwist)")" nats-server`, // TestMain goes by the name
	"docs/live.md": `printf '#!/bin/sh\nexec awk -v a="$1" -v b="$2" "BEGIN { print (a - 1)^2 + b^2 }"\n' >sim
chmod +x sim
printf '[objective]\nexec = "./sim {a} {b}"\n[parameters]\na = { min = -3, max = 3 }\nb = { min = -3, max = 3 }\n[run]\nbudget = 200\n' >sim.toml`,
	// The document is about the file, and the program is anyone's.
	"docs/problem-file.md": `cat >sim <<'END'
#!/bin/sh
exec awk -v k="$2" -v d="$4" -v p="$6" 'BEGIN { printf "%.17g\n", (log(k) + 9)^2 + (d - 1)^2 + p^2 }'
END
chmod +x sim`,
}

// A manner says how a command of the manual is run, if not simply as it is written, and what has
// to come of it.
type manner struct {
	plus    string // flags that are added, with which it is smaller: the last of two equal flags counts
	instead string // what is run instead
	why     string // it is not run as it is written
	prints  string // a regular expression that finds something in what it prints
	then    string // what is run after it, to see what it has done
}

const (
	long        = "it takes a minute or longer"
	placeholder = "it has a placeholder"
	ownStep     = ".ci/run or .ci/long has it as a step of its own"
	twoAtOnce   = "it is for a terminal of its own"
	ownHost     = "the host has another name here"
)

// aside runs a command as in another terminal. What it prints is in run.out.
func aside(command string) string { return "timeout 300 " + command + " >run.out 2>&1 &" }

// foundAside looks at what a run in another terminal prints in the end.
const foundAside = `for i in $(seq 300); do grep -q '^best value' run.out && break; sleep 0.1; done; grep -E '^best value +[0-9.e-]+( [(].*[)])?$' run.out && rm run.out`

// found is what minimize prints where the minimum is 0.
const found = `(?m)^best value +(0$|[0-9.]+e-)`

// manners are those of all commands that have one. A command is in one line here, and begins with
// untwist also where the document has go run ./cmd/untwist.
var manners = map[string]manner{
	// README.md and what belongs to it
	"untwist minimize --problem rastrigin --dim 100 --plot pictures": {
		prints: `(?m)^gap +[0-9.]+e-(1[0-9]|2[0-9])\nqueries +[23]\d,\d{3} of`, then: "ls pictures/convergence.svg pictures/profiles.csv"},
	"chmod +x sim.py":  {then: "cmp sim.py examples/sim.py"},
	"chmod +x pump.py": {then: "cmp pump.py examples/pump.py && cmp sim.toml examples/sim.toml"},
	"untwist minimize --exec ./sim.py --dim 30 --bounds -5:5 --budget 20000 --journal run.journal": {
		prints: `(?m)^best value +0$(?s:.*)^queries +7,\d{3} of 20,000$(?s:.*)0\.89·x\d+ \+ 0\.45·x`},
	"env/bin/python try.py":  {prints: `(?s)^(0\.0|[0-9.]+e-\d+) .*separable\s*$`},
	"go run ./try":           {prints: `(?m)^(0|[0-9.]+e-\d+) \[0\.(799|80)[0-9]* 0\.[34][0-9]*\] separable in 2 rotated coordinates`},
	"untwist check sim.toml": {prints: `(?m)^same twice  yes`},
	"untwist minimize sim.toml --journal sim.journal": {
		prints: `(?m)^  k +(0\.00019999|0\.0002$|0\.0002000|0\.0002 )`,
		then:   `untwist minimize sim.toml --journal sim.journal --json | grep -q '"resumed_queries":[1-9]'`}, // and asks for nothing new
	"untwist journal sim.journal --csv > sim.csv": {
		then: `head -n 1 sim.csv | grep -qx 'query,k,d,p,n,value,seconds,failure,by' && test "$(wc -l <sim.csv)" -gt 300`},
	"untwist minimize --problem rastrigin --dim 100 --strategy cbo --budget 1000000": {prints: `(?m)^best value  878\.`},
	"untwist compare --suite bbob --dim 10,40 --methods auto,cmaes --seeds 15 --budget '1000*d'": {
		plus: "--seeds 2 --budget '20*d' --out few", why: long},
	"go test ./...":          {instead: "go test ./internal/words ./internal/ranks", why: ownStep},
	"untwist COMMAND --help": {instead: "for c in minimize probe check init worker workers journal ask tell problems compare reproduce; do untwist $c --help; done", why: placeholder},

	// CONTRIBUTING.md
	"bash .ci/run":                        {instead: "bash -n .ci/run", why: "this test is a part of it"},
	"go test -v ./... | grep '^not run:'": {instead: "(go test -v ./internal/needs ./internal/words; echo not run: nothing) | grep '^not run:'", why: ownStep},
	".ci/run":                             {instead: "bash -n .ci/run", why: "this test is a part of it"},
	".ci/long":                            {instead: "bash -n .ci/long", why: "this test is a part of it"},
	"bash .ci/long":                       {instead: "bash -n .ci/long", why: "this test is a part of it"},
	"bash .ci/long --list":                {instead: "bash -n .ci/long", why: "it needs a git repository"},
	"bash .ci/bare":                       {instead: "bash -n .ci/bare", why: ownStep},
	"go test ./internal/house -compile":   {plus: "-compile=false", why: ownStep},
	"go test ./cmd/untwist -run TestManual -whole": {plus: "-whole=false", why: "it is this test"},
	".ci/release":             {instead: "bash -n .ci/release", why: ownStep},
	"bash .ci/release dist":   {instead: "bash -n .ci/release", why: ownStep},
	"bash .ci/installed dist": {instead: "bash -n .ci/installed", why: ownStep},
	"bash .ci/pages":          {instead: "bash -n .ci/pages", why: ownStep},
	"bash .ci/python":         {instead: "bash -n .ci/python", why: ownStep},
	"python3 -m unittest":     {instead: "(cd python && python3 -m unittest tests.test_docs)", why: ownStep + ", and the text says in which folder"},
	"go test ./internal/acceptance -run TestRegimeOfTable1 -dims 100 -seeds 5 -v -parallel 2 -timeout 3h": {plus: "-dims=12", why: long},
	"go test ./examples -whole": {plus: "-skip TestImported", why: "that needs a git repository; " + ownStep},
	"go test ./internal/acceptance -run Scoreboard -whole -update -timeout 2h": {plus: "-whole=false -update=false", why: long},
	"go test ./identify -whole -v -timeout 2h":                                 {plus: "-whole=false -run Verdicts", why: long},
	"go test ./internal/acceptance -run TestAuto -whole -v -timeout 3h":        {plus: "-whole=false -run TestAutoS", why: long},
	"go test ./internal/experiment -run TestEveryBudget -whole -timeout 3h":    {plus: "-dims 10 -seeds 11 -problems rosenbrock,levy", why: long}, // as the text says
	"untwist reproduce table1 --from docs/data/table1.jsonl --out DIR":         {plus: "--stored", why: long},
	"go test ./internal/experiment -run TestCommittedTable -update":            {plus: "-update=false", why: "it rewrites the page"},

	"go test ./cmd/untwist -run 'TestFaults|TestNobodyThere|TestPartitions' -faults 20 -parallel 4 -timeout 1h": {plus: "-faults 0", why: long},
	"go test ./internal/cluster -run '^$' -bench .":                                                             {plus: "-benchtime 1x", why: long},

	// docs/integers.md
	"go test ./internal/acceptance -run 'TestChoices|TestMixint|TestExchanger' -whole -v -timeout 3h": {plus: "-whole=false", why: long},

	// docs/calibration.md, docs/constraints.md
	"go test ./internal/interact -run TestStructures -whole -v -timeout 2h": {plus: "-whole=false", why: long},
	"go test ./internal/leastsquares -run TestProfiles -rivals -v":          {plus: "-rivals=false", why: long},
	"python3 internal/several/testdata/compare.py": {
		instead: `for f in compare twenty; do python3 -c "import ast, sys; ast.parse(sys.stdin.read())" <internal/several/testdata/$f.py; done`, why: long},

	// docs/install.md
	"env/bin/python mine.py":                                {prints: `separable.*'k': 0\.[45]`, then: "test -s mine.journal && grep -q '<!DOCTYPE html>' mine.html"},
	"env/bin/untwist journal mine.journal --csv > mine.csv": {then: "head -n 1 mine.csv | grep -qx query,k,depth,slope,value,seconds,failure,by"},
	"go get github.com/untwist/untwist@v0.1.0":              {instead: "go mod edit -require github.com/untwist/untwist@v0.1.0", why: "it may not be published yet; TestImported has a proxy"},

	// docs/cluster.md
	"untwist minimize sim.toml --journal run.journal --listen 127.0.0.1:4222": {
		instead: aside("untwist minimize sim.toml --journal run.journal --listen 127.0.0.1:4222"), why: twoAtOnce},
	"untwist worker sim.toml --server nats://127.0.0.1:4222": {then: foundAside},
	"openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=host -addext subjectAltName=DNS:host -keyout k.pem -out c.pem": {
		instead: "openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout k.pem -out c.pem", why: ownHost},
	"untwist minimize sim.toml --journal run.journal --listen 0.0.0.0:4222 --token-file secret --tls-cert c.pem --tls-key k.pem": {
		instead: "rm run.journal; " + aside("untwist minimize sim.toml --journal run.journal --listen 0.0.0.0:4222 --token-file secret --tls-cert c.pem --tls-key k.pem"), why: twoAtOnce},
	"untwist worker sim.toml --server tls://host:4222 --token-file secret --tls-ca c.pem --procs 16": {
		instead: "untwist worker sim.toml --server tls://localhost:4222 --token-file secret --tls-ca c.pem --procs 16", why: ownHost, then: foundAside},
	"untwist workers --server nats://127.0.0.1:4222": {
		instead: "rm run.journal; " + aside("untwist minimize sim.toml --journal run.journal --listen 127.0.0.1:4222") +
			" for i in $(seq 100); do untwist workers --server nats://127.0.0.1:4222 && break; sleep 0.1; done; untwist worker sim.toml --server nats://127.0.0.1:4222",
		why: "there has to be a run", prints: `sim.toml, run [0-9a-f]{16}: \d+ quer(y|ies) asked, 0 workers`, then: foundAside},
	"untwist journal run.journal --csv": {prints: `(?m)^query,a,b,value,seconds,failure,by\n\d+,.*,[\w.-]+-\d+-[0-9a-f]{6}$`},
	"untwist minimize sim.toml --journal run.journal --server nats://127.0.0.1:4222": {
		instead: "rm run.journal; (timeout 300 ./nats-server -js -a 127.0.0.1 -sd \"$PWD/store\" >/dev/null 2>&1 & echo $! >nats.pid); " +
			"for i in $(seq 100); do (: </dev/tcp/127.0.0.1/4222) && break; sleep 0.1; done; " +
			aside("untwist minimize sim.toml --journal run.journal --server nats://127.0.0.1:4222") + " untwist worker sim.toml --server nats://127.0.0.1:4222",
		why: "there has to be a server", then: foundAside + " && kill $(cat nats.pid)"},
	"untwist workers --json": {plus: "--help", why: "it needs a server, and --server was shown before"},
	"nats-server -js":        {instead: "test -x nats-server", why: "the command after it in the text starts it"},
	"nats-server -c nats.conf": {
		instead: "sed -i 's/password: \"…\"/password: a-long-password/; s/port: 4222/listen: 127.0.0.1:4222/' nats.conf; echo a-long-password | tee coordinator.secret >worker.secret; " +
			"(timeout 300 ./nats-server -c nats.conf >/dev/null 2>&1 & echo $! >nats.pid); for i in $(seq 100); do (: </dev/tcp/127.0.0.1/4222) && break; sleep 0.1; done",
		why: "it is for a terminal of its own, and wants passwords"},
	"untwist minimize sim.toml --journal run.journal --server tls://host:4222 --tls-ca c.pem --user coordinator --token-file coordinator.secret": {
		instead: "rm run.journal; " + aside("untwist minimize sim.toml --journal run.journal --server tls://localhost:4222 --tls-ca c.pem --user coordinator --token-file coordinator.secret"), why: twoAtOnce},
	"untwist worker sim.toml --server tls://host:4222 --tls-ca c.pem --user worker --token-file worker.secret": {
		instead: "untwist worker sim.toml --server tls://localhost:4222 --tls-ca c.pem --user worker --token-file worker.secret", why: ownHost,
		then: foundAside + " && kill $(cat nats.pid)"},

	// docs/report.md
	"untwist minimize --problem rastrigin --dim 100 --report rastrigin.html": {plus: "--dim 20", why: long, then: "grep -q 'id=\"sensitivity\"' rastrigin.html"},
	"untwist minimize examples/pipe.toml --report pipe.html": {
		then: "grep -q 'depends on only 3 combinations of its 8 parameters.*length/speed' pipe.html && grep -q 'does not depend at all on roughness' pipe.html"},
	"untwist minimize docs/reports/pairs.toml --report pairs.html":                                  {then: "grep -q 'gain_west and offset_west' pairs.html"},
	"untwist minimize --problem rosenbrock --dim 10 --budget 20000 --report rosenbrock.html":        {then: "grep -q 'The function does not split into parts' rosenbrock.html"},
	"untwist minimize --problem rastrigin --dim 6 --noise 0.001 --budget 20000 --report noisy.html": {then: "grep -q 'The values have noise' noisy.html"},
	"untwist minimize docs/reports/pump.toml --journal pump.journal --listen 127.0.0.1:4222 --report pump.html": {
		instead: aside("untwist minimize docs/reports/pump.toml --journal pump.journal --listen 127.0.0.1:4222 --report pump.html"), why: twoAtOnce},
	"untwist worker docs/reports/pump.toml --server nats://127.0.0.1:4222 --procs 1": {
		then: foundAside + ` && for i in $(seq 300); do test -f pump.html && break; sleep 0.1; done; grep -q 'Where d is above' pump.html`},
	"untwist journal run.journal --report run.html": {
		instead: "untwist minimize --problem rastrigin --dim 3 --journal run.journal && untwist journal run.journal --report run.html", why: "there has to be a run"},

	"untwist journal FILE --report": {plus: "--help", why: placeholder},

	// docs
	"while [ -s points ]; do awk '{ print $1, ($2 - 1)^2 + $3^2 + $4^2 }' OFMT=%.17g points | untwist tell run.journal untwist ask run.journal > points || break done": {
		then: `grep -E '^queries     150 of 150|^status      converged' points`},
	"go test ./internal/sensitivity -run TestTable -whole -v -timeout 1h":                      {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestSinglePrecision -whole -v -timeout 1h":             {plus: "-whole=false", why: long},
	"go test ./internal/sensitivity -run TestErrorsAreHonest -whole -v":                        {plus: "-whole=false", why: long},
	"go test ./internal/sensitivity -run TestSurrogateIsHonest -whole -v":                      {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestNoUnitOfF -whole":                                  {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAsOftenSolvedInAnyUnit -whole -v":                  {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoTable -whole -update -v -timeout 3h":           {plus: "-whole=false", why: long},
	"go test ./internal/experiment -run TestEveryBudget -whole -update -timeout 3h":            {plus: "-dims 10 -seeds 11 -problems rosenbrock", why: long},
	"go test ./internal/acceptance -run TestAutoConverged -whole -update -v -timeout 3h":       {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoStartBox -whole -update -v -timeout 3h":        {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoFailures -whole -update -v -timeout 3h":        {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoWarm -whole -update -v -timeout 3h":            {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoRounds -whole -update -v -timeout 3h":          {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoFirstCovariance -whole -update -v -timeout 3h": {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoLocalised -whole -update -v -timeout 3h":       {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestAutoBounds -whole -v -from 6998":                   {plus: "-whole=false", why: long},
	"untwist minimize --strategy cmaes --problem rosenbrock-pairs --dim 100 --target 1e-6 --budget 2000000 --seed S": {
		instead: "untwist minimize --strategy cmaes --problem rosenbrock-pairs --dim 100 --target 1e-6 --budget 2000000 --seed 0",
		why:     placeholder, prints: "queries +457,266 of"},
	"untwist compare --suite bbob --dim 5,10,20,40 --methods auto,cmaes --seeds 15 --budget '1000*d'":                       {plus: "--seeds 2 --budget '20*d'", why: long},
	"untwist compare --suite bbob --dim 5,10,20,40 --methods auto,cmaes --seeds 15 --budget '10000*d'":                      {plus: "--seeds 1 --budget '30*d'", why: long},
	"untwist compare --suite bbob --dim 5,10,20,40 --methods auto,cmaes --seeds 15 --budget '10000*d' --out compare-10000d": {plus: "--seeds 1 --budget '30*d'", why: long},
	`go test ./internal/experiment -run TestEveryFunction -comparison "$PWD/FILE.json" -v`: {
		instead: `untwist compare --problems rastrigin --dim 5 --methods auto,cmaes --seeds 3 --budget '400*d' --out DIR --name FILE &&
			go test ./internal/experiment -run TestEveryFunction -comparison "$PWD/DIR/FILE.json" -v`, why: placeholder},
	"go test ./cmaes -run Pycma -whole -v":                                                                        {plus: "-whole=false", why: long},
	"go test ./cmaes -run BIPOP -whole -v":                                                                        {plus: "-whole=false", why: long},
	"GOMAXPROCS=1 go test ./cmaes -run '^$' -bench Query -benchtime 300000x":                                      {plus: "-benchtime 1000x", why: long},
	"go test ./internal/kernel -run Within -v -thorough":                                                          {plus: "-thorough=false", why: long},
	"GOMAXPROCS=1 go test ./cbo ./problem -run '^$' -bench 'CBO/.*/.*/d=100$|Evaluate' -count 20 -benchtime 50ms": {plus: "-count 1 -benchtime 1x", why: long},
	"truncate -s N FILE": {
		instead: "untwist minimize --problem rastrigin --dim 3 --budget 300 --journal FILE && truncate -s 2000 FILE && untwist minimize --problem rastrigin --dim 3 --budget 300 --journal FILE",
		why:     placeholder, prints: `300 of 300 \([0-9]+ from the journal\)`},
	"apt-get install python3-scipy":           {instead: "python3 -c 'import scipy'", why: "it belongs to the system"},
	"pip install cma":                         {instead: "(pip install cma 2>&1 || true) | grep -E 'No matching distribution found for cma|already satisfied: cma'", why: "it needs the network"},
	"go test ./problem -run '^$' -bench BBOB": {plus: "-benchtime 10x", why: long},
	"untwist minimize --exec 'python3 sim.py --k={k} --d={d}' --param k=-5:5 --param d=-5:5 --budget 500": {
		prints: found},
	"untwist minimize --exec 'python3 lines.py' --dim 2 --bounds -5:5 --budget 500": {
		prints: found},
	"untwist minimize --protocol json --exec 'python3 service.py' --param k=-5:5 --param d=-5:5 --budget 500": {
		prints: found},
	"untwist minimize --protocol binary --exec 'python3 fast.py' --dim 2 --bounds -5:5 --budget 500": {
		prints: found},
	"untwist minimize --protocol batch --exec 'python3 batch.py {in} {out}' --dim 2 --bounds -5:5 --budget 500": {
		prints: found},
	"python3 /home/me/sim.py run.in": {instead: "test -f deck.in", why: "nobody knows what that program does"},
	"untwist minimize --caller":      {plus: "--help", why: "it needs a caller: the package for Python is one"},
	"untwist draw DIR":               {plus: "--help", why: "it needs a message of the program: the package for Python has it"},
	"go test ./internal/acceptance -run 'Reality|Honest' -whole -update -v -timeout 12h":                                            {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run 'TestRealityNoise|TestRealityPage' -whole -update -v -timeout 3h -dims 20 -cells rastrigin": {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestRealityMaps -whole -v -timeout 3h -dims 13 -from 100 -cells 'levy log'":                 {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestNoMapWhereThereIsNone -whole":                                                           {plus: "-whole=false", why: long},
	"untwist minimize --strategy cbo --problem different-powers --dim 100 --budget 5000000 --target 0.005 --seed SEED": {
		instead: "untwist minimize --strategy cbo --problem different-powers --dim 10 --budget 100000 --target 0.005 --seed 5", why: placeholder},
	"untwist minimize --strategy online --problem NAME --dim 100 --budget 2250000 --target 0.005 --seed SEED": {
		instead: "untwist minimize --strategy online --problem rastrigin --dim 10 --budget 100000 --target 0.005 --seed 0", why: placeholder, prints: "status +target"},
	"go test ./internal/acceptance -run TestOnlineAndTheTrueFrame -whole -v -timeout 1h":                                {plus: "-whole=false", why: long},
	"go test ./internal/acceptance -run TestOnlineIsNotWorseThanCBO -whole -v -timeout 1h":                              {plus: "-whole=false", why: long},
	"untwist reproduce errors --dim 20":                                                                                 {plus: "--dim 3 --runs 1", why: long},
	"untwist reproduce allocation --dim 20":                                                                             {plus: "--dim 3 --runs 1", why: long},
	"untwist reproduce approximate --dim 20":                                                                            {plus: "--dim 3 --runs 1", why: long},
	"untwist probe examples/mirror.toml":                                                                                {instead: "untwist check examples/mirror.toml", why: long},
	"go test ./cbo -run '^$' -bench Variants":                                                                           {plus: "-benchtime 1x", why: long},
	"untwist compare --grid docs/data/cbo-variants.toml --out variants":                                                 {plus: "--problems squared-norm --seeds 1", why: long},
	"untwist compare --grid docs/data/cbo-mixed.toml --out mixed":                                                       {plus: "--problems squared-norm --seeds 1", why: long},
	"untwist reproduce scaling --out DIR":                                                                               {plus: "--dims 2,3 --runs 1 --problems squared-norm", why: long},
	"untwist reproduce errors --problems rastrigin,different-powers --sizes 0,0.001,0.003,0.01 --methods transformed":   {plus: "--dim 3 --runs 1", why: long},
	"untwist reproduce approximate --problems rastrigin,different-powers --sizes 0.01,0.1 --methods transformed,online": {plus: "--dim 3 --runs 1", why: long},
	"untwist reproduce errors --out DIR":                                                                                {plus: "--dim 3 --runs 1", why: long},
	"go test ./internal/experiment -run TestAsManyHessiansAsComponents -whole -v":                                       {plus: "-whole=false", why: long},
	"go test ./internal/experiment -run TestNoErrorIsTheRegime -whole -v":                                               {plus: "-whole=false", why: long},
	"untwist reproduce table1 --runs 25 --problems squared-norm --methods componentwise-all-limits":                     {plus: "--dim 5 --runs 1", why: long},
	"untwist reproduce table1 --runs 1 --seed N":                                                                        {instead: "untwist reproduce table1 --dim 5 --runs 1 --seed 3", why: long},
	"untwist minimize --problem NAME --dim 100 --budget 5000000 --target 0.005 --seed SEED --strategy METHOD": {
		instead: "for m in cbo reparametrised transformed componentwise cmaes auto; do untwist minimize --problem rastrigin --dim 5 --budget 20000 --target 0.005 --seed 1 --strategy $m; done", why: placeholder},
	"untwist compare --grid docs/data/versus.toml --dim 10,20 --seeds 12 --budget '5000*d' --out versus": {
		instead: "python3 -c 'import scipy' && untwist compare --grid docs/data/versus.toml --dim 3 --seeds 1 --budget 300 --out versus", why: long},
	"untwist compare --grid docs/data/versus.toml --dim 100 --seeds 5 --budget '2000*d' --out versus-100": {
		instead: "python3 -c 'import scipy' && untwist compare --grid docs/data/versus.toml --dim 4 --seeds 1 --budget 300 --out versus-100", why: long},
	"go test ./powermethod -run SquaredNormWithAllLimits -whole -v": {plus: "-whole=false", why: long},
}
