package identify

import (
	"github.com/untwist/untwist/internal/model"
)

// A Next is what a survey knows before a part of which it is not known whether it helps: where
// looks contradict each other in every frame, or where there is noise.
type Next struct {
	// Queries is about how many the part takes.
	Queries int
	// Even says that nothing speaks against the part but that there is noise. The other fields but Queries and
	// Forecast are empty.
	Even bool
	// Forecast is about how many queries the survey takes in all; 0: there is no saying.
	Forecast int
	// Basin, if not nil, says that f looks as if it had one minimum. The part that follows
	// is known to help, but whoever wants that minimum only may come to it sooner without
	// coordinates. The other fields are empty.
	Basin *Basin
}

// before is called before looks: it may end the survey, for want of a budget, and lets others go first.
func (m *modelling) before(next model.Next) error {
	if !m.g.grain.Noisy() {
		if err := m.afford(next); err != nil {
			return err
		}
	}
	if m.Pause == nil {
		return nil
	}
	defer m.stage(hessians)
	switch noisy := m.g.grain.Noisy(); {
	case next.Contradicted && (noisy || next.Components == m.g.f.Dim()):
		return m.Pause(Next{Queries: next.Queries})
	case noisy:
		return m.Pause(Next{Queries: next.Queries, Even: true, Forecast: m.forecast})
	case next.Looks == 1:
		return m.basin(next)
	}
	return nil
}

// afford returns ErrSmallBudget if there is no budget for so many looks: without a first one f is not seen to be
// quadratic, and without a second one nothing else.
func (m *modelling) afford(next model.Next) error {
	least := []int{leastQuadratic(next.Components), Least(next.Components)}[min(next.Looks, 1)]
	if m.Budget > 0 && m.Budget < least {
		return ErrSmallBudget
	}
	return nil
}
