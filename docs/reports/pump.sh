#!/bin/sh
# A simulator that fails now and then: a pump draws water through a filter.
#
# The arguments are the permeability k (m/s), the depth d (m), the slope p, the width w (m) and the
# gap g (mm). It prints the cost. pump.toml says how it is run.
exec awk -v k="$1" -v d="$2" -v p="$3" -v w="$4" -v g="$5" 'BEGIN {
	if (d > 4.65) {
		printf "depth %.4g m: the pump runs dry\n", d >"/dev/stderr"
		exit 3
	}
	u = log(k / 2e-4) + d - 1.5       # how fast water comes
	v = log(k / 2e-4) - 2 * (d - 1.5) # how much the filter holds back
	s = w + g / 10 - 1                # what the seal takes up
	r = w - g / 10
	q = p - 0.3
	printf "%.17g\n", 4 * (sqrt(1 + u^2) - 1) + 6 * (sqrt(1 + v^2 / 4) - 1) + 3 * q^2 + q^4 + s^2 + s^4 + r^2 / 10 + r^4 / 20
}'
