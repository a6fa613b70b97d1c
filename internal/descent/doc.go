// Package descent goes downhill from function values alone: a quasi-Newton method on finite
// differences, within bounds, under noise and past points that fail.
//
// The slope g is that of forward differences, in one batch of d queries, whose steps fit how exact f
// is at x and how much it curves along each axis,
//
//	h_i = 2√(err(f(x))/B_ii),   g_i = (f(x + h_i e_i) − f(x))/h_i − h_i B_ii/2,
//
// and of central ones as soon as those lead no further. B is the curvature that all steps s and
// differences of slopes y have shown so far, by the formula of Broyden, Fletcher, Goldfarb and
// Shanno from the curvature of the last step, made again after every step,
//
//	B = d/(d + n)·(⟨s, y⟩/⟨s, s⟩) I of the last of n pairs,
//	B ← B − (Bs)(Bs)ᵀ/⟨s, Bs⟩ + yyᵀ/⟨s, y⟩ for all, oldest first.
//
// Scaled once and updated from then on, or with the last d pairs only, an ellipsoid of condition 1e6
// keeps a gap of 1 and more where this comes to 1e-8. No pair is forgotten where gains are less than promised:
// along kinks and curved valleys that is what leads on. A step is −B⁻¹g of the variables that are not
// at a bound, and then a search along it by parabolas. Under noise, as soon as there are d pairs, slopes are measured along the
// eigenvectors of B instead of the axes: then each difference has the error that fits its own curvature.
//
// Where it is known that f curves alike along all axes, by c, it begins with B = cI instead, and B as a whole
// is made smaller first if a pair says so (S. S. Oren and D. G. Luenberger): f may be flatter and flatter on
// the way down, as |y|^p for p > 2 is, and one step shows that along one direction only,
//
//	B ← B min(1, ⟨s, y⟩/⟨s, Bs⟩) before each pair,
//
// and f may rise over h_i by 5e-7 of what the last step gained, if that is more than its error.
//
// Points are those in which the start box is [-1, 1]^d. There is no unit of f: a·f is asked at the
// same points for every power of two a, to the bit. Start with Minimize; Axes is for sums over the
// axes, Sum tells whether f may be one.
//
// It needs some 1.5d queries a step, and O(nd²) time after n of them. It crawls along kinks and in
// curved valleys, and ends in the nearest well.
//
// J. Nocedal, S. J. Wright, "Numerical Optimization", 2006, chapters 6 and 8.
package descent
