#!/bin/sh
# A one-liner in awk is the objective.
#
# A cup of coffee cools. cooling.txt has minutes and degrees. Which law of cooling,
# room + drop·exp(-t/tau), fits best? awk reads the measurements, then the points (-), and
# prints the sum of squares for each. --eof, because awk answers at the end of its input.
#
# Run it, with untwist in your PATH (go install ./cmd/untwist):
#
#     sh examples/awk/run.sh
#
# It prints, among others:
#
#     status      tolerance-reached
#     best value  0.0721
#     queries     592 of 3,000
#     drop 69.77
#     tau  17.29
#     room 21.89
#
# So the room has 21.9 degrees. With the seeds 0 to 9 the result is the same, after 577 to 866
# queries. There are three coupled parameters and one minimum: a local optimiser would need
# fewer. What is to be seen is how little it takes to try.
cd "$(dirname "$0")" || exit
untwist minimize --eof --budget 3000 --tolerance 1e-9 --param drop=1:200 --param tau=1:1000:log --param room=0:40 --exec \
	"awk 'NR==FNR {t[NR]=\$1; y[NR]=\$2; n=NR; next} {s=0; for (i=1; i<=n; i++) s+=(\$3+\$1*exp(-t[i]/\$2)-y[i])^2; printf \"%.17g\n\", s}' cooling.txt -"
