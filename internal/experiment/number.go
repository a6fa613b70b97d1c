package experiment

import (
	"encoding/json"
	"math"

	"github.com/untwist/untwist/internal/words"
)

// A Number may be infinite, or NaN where there is none. Both are null in JSON, which has no
// word for them, and null is read as infinite. They are empty in CSV; in tables an infinite
// number is ∞.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.Inf(1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

func (n Number) finite() bool { return !math.IsInf(float64(n), 0) && !math.IsNaN(float64(n)) }

// String writes three significant digits.
func (n Number) String() string { return words.Figure(float64(n)) }

// nothing is the number that is none.
var nothing = Number(math.NaN())
