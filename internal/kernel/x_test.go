package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestX(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 100003
	x := make([]float64, n)
	p := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64() * math.Exp(10*r.NormFloat64())
		p[i] = 6 * r.Float64()
	}
	type fn struct {
		name string
		f    func(dst, x []float64)
		ref  func(float64) float64
	}
	for _, f := range []fn{{"exp", Exp, math.Exp}, {"log", Log, math.Log}, {"cos", Cos, math.Cos}, {"sin", Sin, math.Sin}, {"pow", func(d, x []float64) { Pow(d, x, p) }, nil}} {
		var base []float64
		for _, a := range available() {
			active = a
			d := make([]float64, n)
			f.f(d, x)
			if base == nil {
				base = d
				worst := 0.0
				for i := range d {
					ref := 0.0
					if f.ref != nil {
						ref = f.ref(x[i])
					} else {
						ref = math.Pow(x[i], p[i])
					}
					if math.IsNaN(ref) || math.IsInf(ref, 0) || ref == 0 || ref > 1e307 {
						if ref <= 1e307 && d[i] != ref && !(math.IsNaN(ref) && math.IsNaN(d[i])) {
							t.Fatal(f.name, x[i], d[i], ref)
						}
						continue
					}
					e := math.Abs(d[i]-ref) / (math.Nextafter(math.Abs(ref), math.Inf(1)) - math.Abs(ref))
					if f.name == "cos" || f.name == "sin" {
						e = math.Abs(d[i] - ref)
					}
					if e > worst {
						worst = e
						if e > 5 {
							t.Log(f.name, x[i], p[i], d[i], ref)
						}
					}
				}
				t.Log(f.name, worst)
			}
			for i := range d {
				if math.Float64bits(d[i]) != math.Float64bits(base[i]) && !(math.IsNaN(d[i]) && math.IsNaN(base[i])) {
					t.Fatal(f.name, a, i, x[i], d[i], base[i])
				}
			}
		}
	}
	var base []float64
	for _, a := range available() {
		active = a
		var c Chance
		rr := rand.New(rand.NewPCG(1, 2))
		for w := range c {
			for i := range c[w] {
				c[w][i] = rr.Uint64()
			}
		}
		d := make([]float64, 16*1000)
		Gauss(d, &c)
		if base == nil {
			base = d
			var m1, m2, m4 float64
			for _, v := range d {
				m1 += v
				m2 += v * v
				m4 += v * v * v * v
			}
			t.Log(m1/16000, m2/16000, m4/16000)
		}
		for i := range d {
			if d[i] != base[i] {
				t.Fatal(a, i, d[i], base[i])
			}
		}
	}
}
func BenchmarkF(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 100
	x := make([]float64, n)
	p := make([]float64, n)
	d := make([]float64, n)
	for i := range x {
		x[i] = math.Abs(10 * r.NormFloat64())
		p[i] = 6 * r.Float64()
	}
	var c Chance
	for w := range c {
		for i := range c[w] {
			c[w][i] = r.Uint64()
		}
	}
	g := make([]float64, 512)
	run := func(name string, n int, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(n), "ns/elem")
		})
	}
	for _, a := range available() {
		active = a
		run("exp/"+a.String(), n, func() { Exp(d, x) })
		run("log/"+a.String(), n, func() { Log(d, x) })
		run("cos/"+a.String(), n, func() { Cos(d, x) })
		run("sin/"+a.String(), n, func() { Sin(d, x) })
		run("pow/"+a.String(), n, func() { Pow(d, x, p) })
		run("gauss/"+a.String(), 512, func() { Gauss(g, &c) })
	}
	run("math.Exp", n, func() {
		for i, v := range x {
			d[i] = math.Exp(v)
		}
	})
	run("math.Log", n, func() {
		for i, v := range x {
			d[i] = math.Log(v)
		}
	})
	run("math.Cos", n, func() {
		for i, v := range x {
			d[i] = math.Cos(v)
		}
	})
	run("math.Pow", n, func() {
		for i, v := range x {
			d[i] = math.Pow(v, p[i])
		}
	})
}
