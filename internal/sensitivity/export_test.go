package sensitivity

// Quick lets Of take so many times fewer points. Errors say by themselves what that costs.
func Quick(times float64) { work, less = work/times, less/times }
