package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// ackley: 20 + e − 20 exp(−0.2 √(Σz_j²/m)) − exp(Σ cos(2πz_j)/m). It is a function
// of two sums. No linear map separates it.
func ackley(d drawing) function {
	b := d.shift()
	m := float64(len(b))
	return coupled(b, whole(len(b)), func(y, work []float64) float64 {
		squares, waves := 0.0, 0.0
		for j, v := range y {
			z := v - b[j]
			squares += square(z)
			work[j] = 2 * math.Pi * z
		}
		kernel.Cos(work, work)
		for _, wave := range work {
			waves += wave
		}
		// Expm1 makes both terms exactly 0 at the minimum.
		return float64(-20*math.Expm1(-0.2*math.Sqrt(squares/m))) - float64(math.E*math.Expm1(waves/m-1))
	})
}

// griewank: 1 + Σ z_j²/4000 − Π cos(z_j/√j).
func griewank(d drawing) function {
	b := d.shift()
	return coupled(b, whole(len(b)), func(y, work []float64) float64 {
		squares, product := 0.0, 1.0
		for j, v := range y {
			z := v - b[j]
			squares += square(z)
			work[j] = z / math.Sqrt(float64(j+1))
		}
		kernel.Cos(work, work)
		for _, wave := range work {
			product *= wave
		}
		return squares/4000 + (1 - product)
	})
}

// griewankDomain is [−10/√m, 10/√m]. On the customary [−600, 600] the product
// of the cosines is 0 almost everywhere, so Griewank is a squared norm. On this
// box the product is about 0.007 at m = 10 and 0.4 at m = 100, while Σ z²/4000
// is about 0.01. (Only with few components does the box contain other minima.
// With many they are outside, but Griewank is easy in many dimensions anyway.)
func griewankDomain(m int) (lo, hi float64) {
	r := 10 / math.Sqrt(float64(m))
	return -r, r
}

// rosenbrock: Σ 100(z_{j+1}−z_j²)² + (1−z_j)², a chain in which each component
// is coupled to the next. With one component: (1−z)².
func rosenbrock(d drawing) function {
	b := d.shift()
	return coupled(b, whole(len(b)), func(y, _ []float64) float64 { return chain(y, b) })
}

// rosenbrockPairs: one Rosenbrock function of two components for each pair. If one
// component is left over, its term is (1−z)².
func rosenbrockPairs(d drawing) function {
	b := d.shift()
	return coupled(b, runs(len(b), 2), func(y, _ []float64) float64 {
		sum := 0.0
		for lo := 0; lo < len(y); lo += 2 {
			hi := min(lo+2, len(y))
			sum += chain(y[lo:hi], b[lo:hi])
		}
		return sum
	})
}

// chain is the Rosenbrock function of z = 1+t, t = y−b.
func chain(y, b []float64) float64 {
	if len(y) == 1 {
		return square(y[0] - b[0])
	}
	sum := 0.0
	for j := range len(y) - 1 {
		sum += bend(y[j]-b[j], y[j+1]-b[j+1])
	}
	return sum
}

// ridgeBlocks: in each block of size n, 2n ridges φ_r(⟨a_r, z⟩) with random
// unit vectors a_r and φ_r(t) = t²/2 + 1 − cos ω_r t, ω_r uniform on [1, 2.5].
// Twice as many ridges as components cannot be separated by a linear map. A
// block of one component has one ridge.
func ridgeBlocks(d drawing) function {
	b := d.shift()
	blocks := runs(len(b), d.spec.Block)
	type ridge struct {
		first int // the block's first component
		a     []float64
		omega float64
	}
	var ridges []ridge
	for _, block := range blocks {
		count := 2 * len(block)
		if len(block) == 1 {
			count = 1
		}
		for range count {
			ridges = append(ridges, ridge{
				first: block[0],
				a:     orthogonal(1, len(block), d.params).RawRowView(0),
				omega: 1 + float64(1.5*d.params.Float64()),
			})
		}
	}
	return function{
		value: func(y, work []float64) float64 {
			sum := 0.0
			for i, r := range ridges {
				t := 0.0
				for k, a := range r.a {
					t += float64(a * (y[r.first+k] - b[r.first+k]))
				}
				sum += float64(square(t) / 2)
				work[i] = r.omega * t
			}
			kernel.Cos(work, work)
			for _, wave := range work {
				sum += 1 - wave
			}
			return sum
		},
		work:      len(ridges),
		minimiser: b,
		blocks:    blocks,
	}
}
