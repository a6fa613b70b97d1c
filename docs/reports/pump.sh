#!/bin/sh
# A simulator that fails now and then: a pump draws water through a filter.
#
# The arguments are the permeability k (m/s), the depth d (m), the slope p, the width w (m) and the
# gap g (mm). It prints the cost. pump.toml says how it is run.
exec awk -v k="$1" -v d="$2" -v p="$3" -v w="$4" -v g="$5" 'BEGIN {
	if (d > 4.85) {
		printf "depth %.4g m: the pump runs dry\n", d >"/dev/stderr"
		exit 3
	}
	u = log(k / 2e-4) + d - 1.5
	v = log(k / 2e-4) - (d - 1.5)
	s = w + g / 10 - 1
	printf "%.17g\n", u^2 + 3 * v^2 + 3 * (p - 0.3)^2 + s^4 + s^2 + (w - g / 10)^2 / 10
}'
