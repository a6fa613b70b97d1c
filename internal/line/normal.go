package line

// normal has the normal equations XᵀX a = Xᵀv of a parabola, rows (1, τ, τ²/2).
type normal struct {
	xx [3][3]float64
	xv [3]float64
}

// row returns (1, τ, τ²/2).
func row(tau float64) [3]float64 { return [3]float64{1, tau, tau * tau / 2} }

// add takes notice of a value.
func (m *normal) add(tau, value float64) {
	x := row(tau)
	for i := range x {
		for k := range x {
			m.xx[i][k] += float64(x[i] * x[k])
		}
		m.xv[i] += float64(x[i] * value)
	}
}

// mean returns the mean of all values.
func (m *normal) mean() float64 { return m.xv[0] / m.xx[0][0] }

// solve returns y with XᵀX y = b, and false if there is none.
func (m *normal) solve(b [3]float64) ([3]float64, bool) {
	a := m.xx // LDLᵀ
	for k := range 3 {
		if !(a[k][k] > singular*m.xx[k][k]) {
			return b, false
		}
		for i := k + 1; i < 3; i++ {
			l := a[i][k] / a[k][k]
			for j := k; j < 3; j++ {
				a[i][j] -= float64(l * a[k][j])
			}
			b[i] -= float64(l * b[k])
		}
	}
	for k := 2; k >= 0; k-- {
		for j := k + 1; j < 3; j++ {
			b[k] -= float64(a[k][j] * b[j])
		}
		b[k] /= a[k][k]
	}
	return b, true
}

// singular is the pivot, as a part of its diagonal element, that is rounding.
const singular = 1e-9

// coefficients returns (a, b, c), and false if there are fewer than three places.
func (m *normal) coefficients() ([3]float64, bool) { return m.solve(m.xv) }

// leverage returns gᵀ(XᵀX)⁻¹g for g = (1, τ, τ²/2): the variance of the fitted value at τ, in
// variances of one value.
func (m *normal) leverage(tau float64) float64 {
	g := row(tau)
	y, _ := m.solve(g)
	sum := 0.0
	for i := range g {
		sum += float64(g[i] * y[i])
	}
	return sum
}
