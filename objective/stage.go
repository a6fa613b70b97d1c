package objective

// A Stage is a part of a run: what is being done, in a word or two, and why.
type Stage struct {
	Name    string  `json:"name"`
	Purpose Purpose `json:"purpose"`
	// Forecast is about how many queries it is to take, as it says when it begins; 0: there is no saying.
	Forecast int `json:"-"`
}

// A Purpose is what the queries of a stage are for. It completes the sentence
// "5,000 queries …".
type Purpose string

// The purposes.
const (
	AtKnown      Purpose = "at known points"
	ToFind       Purpose = "to find coordinates"
	ToCheck      Purpose = "to check them"
	StraightDown Purpose = "straight down"
	AlongThem    Purpose = "along them"
	ToSearch     Purpose = "by CMA-ES or CBO"
	ToCompare    Purpose = "to compare the best points"
)

// Purposes returns all purposes, in the order in which a run usually has them.
func Purposes() []Purpose {
	return []Purpose{AtKnown, ToFind, ToCheck, StraightDown, AlongThem, ToSearch, ToCompare}
}
