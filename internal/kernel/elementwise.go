package kernel

// Product sets dst[i] = x[i]·y[i]. dst may be x.
func Product(dst, x, y []float64) {
	for dst, y = fit(dst, x), y[:len(x):len(y)]; len(x) > 0; {
		n := min(len(x), atOnce)
		productPath(dst[:n], x[:n], y[:n])
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}

func productSlice(dst, x, y []float64) {
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// Difference sets dst[i] = a(x[i] − y[i]). dst may be x.
func Difference(dst []float64, a float64, x, y []float64) {
	for dst, y = fit(dst, x), y[:len(x):len(y)]; len(x) > 0; {
		n := min(len(x), atOnce)
		differencePath(dst[:n], x[:n], y[:n], a)
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}

func differenceSlice(dst, x, y []float64, a float64) {
	for i, v := range x {
		dst[i] = a * (v - y[i])
	}
}

// Combine sets dst[i] = (x[i] + a·y[i]) + b·z[i]. dst may be x.
func Combine(dst, x []float64, a float64, y []float64, b float64, z []float64) {
	for dst, y, z = fit(dst, x), y[:len(x):len(y)], z[:len(x):len(z)]; len(x) > 0; {
		n := min(len(x), atOnce)
		combinePath(dst[:n], x[:n], y[:n], z[:n], a, b)
		dst, x, y, z = dst[n:], x[n:], y[n:], z[n:]
	}
}

func combineSlice(dst, x, y, z []float64, a, b float64) {
	for i, v := range x {
		dst[i] = (v + float64(a*y[i])) + float64(b*z[i])
	}
}
