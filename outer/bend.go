package outer

// A bend is an increasing function of the values of a power law.
type bend struct{}

func (b *bend) of(v float64) float64  { return v }
func (b *bend) slope(float64) float64 { return 1 }
func (b *bend) scaled(float64) *bend  { return b }
