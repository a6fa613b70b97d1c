#!/bin/sh
# job.sh ID BACK MIDDLE FRONT tries a setting of the heaters, and prints the ID and how far the
# oven is from what it should be. Heat spreads to the neighbours. A job that fails should print
# the ID and nan.
awk -v id="$1" -v b="$2" -v m="$3" -v f="$4" 'BEGIN {
	miss = (0.9*b + 0.3*m + 0.1*f - 180)^2 + (0.3*b + 0.8*m + 0.3*f - 200)^2 + (0.1*b + 0.3*m + 0.9*f - 190)^2
	printf "%d %.17g\n", id, miss
}'
