package words

// A stage is what a part of a run does, in plain words, and what comes after it.
type stage struct{ doing, next string }

// What comes next, and when the value usually falls.
const (
	afterKnown   = "Next it looks for combinations of parameters in which the function is simpler. The value usually falls later, when it searches along them."
	afterFinding = "Next the combinations are tested, and then it searches along them. Queries are for learning now: the value usually falls only in that search."
	afterChecks  = "Next it searches along the combinations, if they pass the test, or everywhere, if they do not. That is when the value usually falls."
	whileAlong   = "The value usually falls now, most of it within the first combinations. Next come the last digits and a look at other valleys."
	whileLast    = "The lowest value is nearly found; it usually falls little from here. Then the run ends."
	whileDown    = "The value usually falls now, fast at first. Next it looks for combinations of parameters, or searches everywhere, if the budget allows."
	whileSearch  = "The value usually falls now, slowly and in steps, with level parts between them. This goes on until it converges or the budget is spent."
	afterCompare = "The best points are asked again, because values have noise: the value falls no more, but is known better. Then the run ends."
)

// stages are all stages by their names.
var stages = map[string]stage{
	"known points":      {"known points", afterKnown},
	"noise":             {"how exact values are", afterKnown},
	"slope":             {"the slope", afterKnown},
	"first look":        {"a first look", afterFinding},
	"interactions":      {"what acts together", afterFinding},
	"hessians":          {"how the function curves", afterFinding},
	"sparse hessians":   {"how the function curves", afterFinding},
	"power method":      {"combinations one by one", afterFinding},
	"certificate":       {"test of the combinations", afterChecks},
	"scales":            {"reach of each combination", whileAlong},
	"lines":             {"along each combination", whileAlong},
	"along coordinates": {"along each combination", whileAlong},
	"blocks":            {"part by part", whileAlong},
	"couplings":         {"pairs that act together", whileAlong},
	"model":             {"by a model of the function", whileAlong},
	"wells":             {"other valleys", whileLast},
	"lattices":          {"integers, steps and choices", whileAlong},
	"outlook":           {"a look further out", whileLast},
	"polish":            {"the last digits", whileLast},
	"descent":           {"straight downhill", whileDown},
	"least squares":     {"least squares", whileDown},
	"sqp":               {"downhill within the limits", whileDown},
	"starts":            {"starting points", whileDown},
	"descent and cmaes": {"downhill and everywhere", whileSearch},
	"cmaes":             {"search everywhere (CMA-ES)", whileSearch},
	"cbo":               {"search everywhere (CBO)", whileSearch},
	"comparison":        {"the best points compared", afterCompare},
}

// Stage says in plain words what a stage of a run does. A name that is not known stays as it is.
func Stage(name string) string {
	if s, known := stages[name]; known {
		return s.doing
	}
	return name
}

// Next says what comes after a stage, and when the value usually falls; "": not known.
func Next(name string) string { return stages[name].next }
