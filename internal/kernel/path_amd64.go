package kernel

import "golang.org/x/sys/cpu"

// available returns the paths that this processor has, the best one last.
func available() []path {
	paths := []path{plain}
	x := cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasBMI2 {
		paths = append(paths, avx2)
		if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL {
			paths = append(paths, avx512)
		}
	}
	return paths
}

// The functions below choose by a switch and not by function values. With function
// values the compiler would assume that every slice escapes, and allocate it.

// panel computes C = A·B, or with carry C = C + A·B, for a panel B of k rows. The rows
// are ldb numbers apart and have panelVectors whole vectors each, of which the first
// cols numbers count.
func panel(c []float64, ldc int, a []float64, lda int, b []float64, ldb int, k, rows, cols int, carry bool) {
	switch active {
	case avx512:
		panelAVX512(&c[0], ldc, &a[0], lda, &b[0], ldb, k, rows, cols, carry)
	case avx2:
		panelAVX2(&c[0], ldc, &a[0], lda, &b[0], ldb, k, rows, cols, carry)
	default:
		panelGo(c, ldc, a, lda, b, ldb, k, rows, cols, carry)
	}
}

// transpose sets dst[k·ldd+i] = src[i·lds+k] for i < lanes and k < n, as far as there
// are whole vectors, and returns how many k it has done.
func transpose(dst []float64, ldd int, src []float64, lds, n int) int {
	whole := n - n%active.lanes()
	if whole == 0 {
		return 0
	}
	switch active {
	case avx512:
		transposeAVX512(&dst[0], ldd, &src[0], lds, whole)
	case avx2:
		transposeAVX2(&dst[0], ldd, &src[0], lds, whole)
	default:
		return 0
	}
	return whole
}

func expPath(dst, x []float64) {
	switch active {
	case avx512:
		expAVX512(&dst[0], &x[0], len(x))
	case avx2:
		expAVX2(&dst[0], &x[0], len(x))
	default:
		expSlice(dst, x)
	}
}

func logPath(dst, x []float64) {
	switch active {
	case avx512:
		logAVX512(&dst[0], &x[0], len(x))
	case avx2:
		logAVX2(&dst[0], &x[0], len(x))
	default:
		logSlice(dst, x)
	}
}

func cosPath(dst, x []float64) (done int) {
	switch active {
	case avx512:
		return cosAVX512(&dst[0], &x[0], len(x))
	case avx2:
		return cosAVX2(&dst[0], &x[0], len(x))
	}
	return 0
}

func sinPath(dst, x []float64) (done int) {
	switch active {
	case avx512:
		return sinAVX512(&dst[0], &x[0], len(x))
	case avx2:
		return sinAVX2(&dst[0], &x[0], len(x))
	}
	return 0
}

func powPath(dst, x, p []float64) {
	switch active {
	case avx512:
		powAVX512(&dst[0], &x[0], &p[0], len(x))
	case avx2:
		powAVX2(&dst[0], &x[0], &p[0], len(x))
	default:
		powSlice(dst, x, p)
	}
}

func gaussPath(dst []float64, state *Chance) {
	switch active {
	case avx512:
		gaussAVX512(&dst[0], len(dst)/GaussBlock, &state[0][0])
	case avx2:
		gaussAVX2(&dst[0], len(dst)/GaussBlock, &state[0][0])
	default:
		gaussSlice(dst, state)
	}
}

func productPath(dst, x, y []float64) {
	switch active {
	case avx512:
		productAVX512(&dst[0], &x[0], &y[0], len(x))
	case avx2:
		productAVX2(&dst[0], &x[0], &y[0], len(x))
	default:
		productSlice(dst, x, y)
	}
}

func differencePath(dst, x, y []float64, a float64) {
	switch active {
	case avx512:
		differenceAVX512(&dst[0], &x[0], &y[0], len(x), a)
	case avx2:
		differenceAVX2(&dst[0], &x[0], &y[0], len(x), a)
	default:
		differenceSlice(dst, x, y, a)
	}
}

func combinePath(dst, x, y, z []float64, a, b float64) {
	switch active {
	case avx512:
		combineAVX512(&dst[0], &x[0], &y[0], &z[0], len(x), a, b)
	case avx2:
		combineAVX2(&dst[0], &x[0], &y[0], &z[0], len(x), a, b)
	default:
		combineSlice(dst, x, y, z, a, b)
	}
}
