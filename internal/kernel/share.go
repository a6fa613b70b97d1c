package kernel

import (
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// workPerCore is how many multiply-adds are worth a goroutine: about 0.1 ms.
const workPerCore = 2_000_000

// share computes C = A·B, where it is large on several cores: each takes a
// range of the rows or columns of C. An element does not know whose it is.
func share(c, a blas64.General, b factor) {
	if a.Cols == 0 { // an empty sum
		for i := range c.Rows {
			clear(row(c, i))
		}
		return
	}
	work := float64(c.Rows) * float64(c.Cols) * float64(a.Cols)
	workers := int(min(work/workPerCore, float64(runtime.GOMAXPROCS(0))))
	if workers <= 1 {
		multiply(c, a, b)
		return
	}
	// Ranges are whole tiles.
	const tileRows = 8
	unit, units := tileRows, (c.Rows+tileRows-1)/tileRows
	byColumns := c.Cols > c.Rows
	if byColumns {
		unit = panelVectors * active.lanes()
		units = (c.Cols + unit - 1) / unit
	}
	var wait sync.WaitGroup
	for w := range workers {
		lo, hi := units*w/workers*unit, units*(w+1)/workers*unit
		cw, aw, bw := c, a, b
		if byColumns {
			hi = min(hi, c.Cols)
			cw.Cols, cw.Data, bw = hi-lo, c.Data[lo:], b.columns(lo, hi)
		} else {
			hi = min(hi, c.Rows)
			cw.Rows, cw.Data = hi-lo, c.Data[lo*c.Stride:]
			aw.Rows, aw.Data = hi-lo, a.Data[lo*a.Stride:]
		}
		wait.Go(func() { multiply(cw, aw, bw) })
	}
	wait.Wait()
}
