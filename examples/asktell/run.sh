#!/bin/sh
# A loop of your own asks for points, evaluates them in parallel and tells the values.
#
# An oven has three heaters, and should have 180, 200 and 190 degrees in its back, middle and
# front. job.sh tries a setting. Four jobs run at the same time. They could as well run on a
# cluster, or be people who write into a list.
#
# Run it, with untwist in your PATH (go install ./cmd/untwist):
#
#     sh examples/asktell/run.sh
#
# It prints, among others:
#
#     status      converged
#     queries     240 of 2,000 (240 from the journal)
#     learnt      separable in 3 rotated coordinates, a quadratic (mixed differences are 2e-15 of single ones)
#     back   135.685
#     middle 143.548
#     front  148.185
#
# All that is known is in oven.journal. End the script at any moment, and run it again: what was
# told is kept, and what was not is asked for again. Remove oven.journal to begin anew.
cd "$(dirname "$0")" || exit
while untwist ask oven.journal --param back=0:300 --param middle=0:300 --param front=0:300 --budget 2000 --n 8 >points; do
	xargs -P 4 -L 1 sh job.sh <points | untwist tell oven.journal
done
cat points # ask has ended with status 3: the run is done, and this is the result
