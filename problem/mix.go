package problem

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// mixings draws the mixing matrix W (m×d) of each name.
var mixings = map[string]func(s Spec, r *rng.Stream) mixing{
	"paper":      func(s Spec, r *rng.Stream) mixing { return transposed(paper(s.Components, s.Dim, r)) },
	"orthogonal": func(s Spec, r *rng.Stream) mixing { return transposed(orthogonal(s.Components, s.Dim, r)) },
	"banded":     banded,
	"sparse":     scattered,
	"none":       none,
}

// blockMix asks for block rotations in place of the full rotations of a bbob function.
const blockMix = "block"

// Mixes returns what Spec.Mix may be: the names of the mixing matrices, and block, which is
// for the bbob functions alone.
func Mixes() []string { return slices.Sorted(slices.Values(append(matrices(), blockMix))) }

func matrices() []string { return slices.Sorted(maps.Keys(mixings)) }

func transposed(w *mat.Dense) full { return full{mat.DenseCopyOf(w.T())} }

// paper is the W of section 4: the rows of Q + 5R scaled to length 1, with Q
// orthogonal and R Gaussian. At m = d = 100 its condition number is usually 100
// to 1,000 and occasionally 10,000 or more.
func paper(m, d int, r *rng.Stream) *mat.Dense {
	w := orthogonal(m, d, r)
	gauss := make([]float64, d)
	for j := range m {
		row := w.RawRowView(j)
		r.Norm(gauss)
		kernel.AddScaled(row, 5, gauss)
		kernel.Normalise(row)
	}
	return w
}

// orthogonal has m orthonormal rows with the uniform (Haar) distribution: the
// orthogonal factor of a Gaussian matrix.
func orthogonal(m, d int, r *rng.Stream) *mat.Dense {
	w := mat.NewDense(m, d, nil)
	r.Norm(w.RawMatrix().Data)
	kernel.Orthonormalise(w.RawMatrix())
	return w
}

// banded is the band that the problem has: crosstalk for microring, unless Entries says how wide
// it is to be, and a ring for all others.
func banded(s Spec, r *rng.Stream) mixing {
	w := thin{}
	if s.Name == "microring" && s.Entries == 0 {
		w = crosstalk(s.Components, s.Dim, r)
	} else {
		w = ring(s.Components, s.Dim, s.entries(), r)
	}
	return s.arranged(w, r)
}

// arranged exchanges the columns of W if the Spec says so.
func (s Spec) arranged(w thin, r *rng.Stream) thin {
	if s.Permute {
		return w.shuffled(r)
	}
	return w
}

// entries returns how many entries a row of W has.
func (s Spec) entries() int {
	if s.Entries == 0 {
		return min(3, s.Dim)
	}
	return min(s.Entries, s.Dim)
}

// crosstalk models heat between neighbours. It has 1 on the diagonal. Up to three places
// beside it stands 0.4^|i−j| times a factor uniform on [0.7, 1.3]; these entries
// are scaled so that they sum to 0.3 in each row.
func crosstalk(m, d int, r *rng.Stream) thin {
	const reach, decay, share = 3, 0.4, 0.3
	w := thin{d, make([][]entry, m)}
	for i := range m {
		var row []entry
		sum := 0.0
		for j := max(0, i-reach); j <= min(d-1, i+reach); j++ {
			v := 0.0
			if j != i {
				v = float64(math.Pow(decay, math.Abs(float64(i-j))) * (0.7 + float64(0.6*r.Float64())))
				sum += v
			}
			row = append(row, entry{j, v})
		}
		for k := range row {
			if sum > 0 {
				row[k].value *= share / sum
			}
			if row[k].column == i {
				row[k].value = 1
			}
		}
		w.rows[i] = row
	}
	return w
}

// ring has n entries in row i, at columns around i, where the last column is beside the first. On
// the diagonal stands 1 + 0.2ξ and beside it 0.5ξ, ξ Gaussian; rows are scaled to length 1.
func ring(m, d, n int, r *rng.Stream) thin {
	w := thin{d, make([][]entry, m)}
	for i := range m {
		for k := range n {
			v := 0.5 * r.NormFloat64()
			if k == n/2 {
				v = 1 + float64(0.4*v)
			}
			w.rows[i] = append(w.rows[i], entry{(i + k - n/2 + d) % d, v})
		}
	}
	return w.ordered()
}

// scattered has a 1 in row i at column p_i of a random permutation, so that W is regular, and n − 1
// entries 0.6ξ, ξ Gaussian, at random columns, which may be the same; rows are scaled to length 1.
func scattered(s Spec, r *rng.Stream) mixing {
	w := thin{s.Dim, make([][]entry, s.Components)}
	p := r.Perm(s.Dim)
	for i := range w.rows {
		w.rows[i] = []entry{{p[i], 1}}
		for range s.entries() - 1 {
			w.rows[i] = append(w.rows[i], entry{r.IntN(s.Dim), 0.6 * r.NormFloat64()})
		}
	}
	return s.arranged(w.ordered(), r)
}

// none is the identity: component j is coordinate j.
func none(s Spec, _ *rng.Stream) mixing {
	w := thin{s.Dim, make([][]entry, s.Components)}
	for j := range w.rows {
		w.rows[j] = []entry{{j, 1}}
	}
	return w
}

// completeMix checks which mixing matrix is asked for.
func (s *Spec) completeMix(def definition) error {
	if s.Entries < 0 {
		return objective.BadOption("Entries", "%d, must be at least 1", s.Entries)
	}
	if _, bbob := bbobNamed(s.Name); s.BlockCount != 0 && (bbob || def.mix != "") {
		return objective.BadOption("BlockCount", "is for blocks-elliptic and blocks-rastrigin, and the problem is %s", s.Name)
	}
	if def.mix == "" {
		return s.checkOwn()
	}
	s.Mix = cmp.Or(s.Mix, def.mix)
	if s.Mix == blockMix {
		return objective.BadOption("Mix", "%s is for the bbob functions: must be one of %s", blockMix, strings.Join(matrices(), ", "))
	}
	if mixings[s.Mix] == nil {
		return objective.BadOption("Mix", "unknown mixing matrix %q: must be one of %s", s.Mix, strings.Join(matrices(), ", "))
	}
	return s.checkThin()
}

// checkThin returns an error for an option of band or sparse matrices where W is another.
func (s *Spec) checkThin() error {
	if s.Mix == "banded" || s.Mix == "sparse" {
		return nil
	}
	switch {
	case s.Entries != 0:
		return objective.BadOption("Entries", "is for --mix banded and sparse")
	case s.Permute:
		return objective.BadOption("Permute", "is for --mix banded and sparse")
	}
	return nil
}

// checkOwn returns an error if a problem with rotations of its own is not defined for a Spec.
func (s *Spec) checkOwn() error {
	if err := s.checkThin(); err != nil {
		return err
	}
	if _, bbob := bbobNamed(s.Name); bbob {
		return s.checkBBOB()
	}
	switch {
	case s.Components != s.Dim:
		return objective.BadOption("Components", "%d, must be the dimension, %d, for %s", s.Components, s.Dim, s.Name)
	case s.Mix != "":
		return objective.BadOption("Mix", "%q with %s, which has rotations of its own: leave it out", s.Mix, s.Name)
	case s.BlockCount == 0:
		s.BlockCount = len(fewBlocks)
	case s.BlockCount != len(fewBlocks) && s.BlockCount != len(manyBlocks):
		return objective.BadOption("BlockCount", "%d, must be %d or %d", s.BlockCount, len(fewBlocks), len(manyBlocks))
	}
	return nil
}
