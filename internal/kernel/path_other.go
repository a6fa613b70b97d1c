//go:build !amd64

package kernel

// available returns the paths of this architecture: plain Go.
func available() []path { return []path{plain} }

func panel(c []float64, ldc int, a []float64, lda int, b []float64, ldb int, k, rows, cols int, carry bool) {
	panelGo(c, ldc, a, lda, b, ldb, k, rows, cols, carry)
}

func transpose(_ []float64, _ int, _ []float64, _, _ int) int { return 0 }

func expPath(dst, x []float64)               { expSlice(dst, x) }
func logPath(dst, x []float64)               { logSlice(dst, x) }
func cosPath(_, _ []float64) (done int)      { return 0 }
func sinPath(_, _ []float64) (done int)      { return 0 }
func powPath(dst, x, p []float64)            { powSlice(dst, x, p) }
func gaussPath(dst []float64, state *Chance) { gaussSlice(dst, state) }

func productPath(dst, x, y []float64)                  { productSlice(dst, x, y) }
func differencePath(dst, x, y []float64, a float64)    { differenceSlice(dst, x, y, a) }
func combinePath(dst, x, y, z []float64, a, b float64) { combineSlice(dst, x, y, z, a, b) }
