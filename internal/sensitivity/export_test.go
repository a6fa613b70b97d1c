package sensitivity

// Quick lets Of take a tenth of the points. Errors say by themselves what that costs.
func Quick() { work, less = work/10, less/10 }
