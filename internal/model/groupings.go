package model

import (
	"slices"

	"github.com/untwist/untwist/jointdiag"
)

// finer is by how much splits of finer blocks may couple more than those of coarser ones.
const finer = 10

// groupings returns the blocks of at most so many components that C shows, the finest first. Looks are as exact as E is
// to a part.
func (e *search) groupings(now *blocking, most int, part float64) (all []grouping, err error) {
	before := e.m
	_, looked := e.steps.best(forward, e.s.sigma, part)
	for _, link := range linked {
		if link > max(leastLink, amplified*looked) {
			continue
		}
		blocks := jointdiag.Blocks(now.c, link)
		if len(blocks) == before {
			continue
		}
		if before = len(blocks); before == 1 || slices.ContainsFunc(blocks, func(b []int) bool { return len(b) > most }) {
			break
		}
		p := splits{s: e.s, theta: e.theta}
		if err := p.more(e.frame, blocks, fewSplits); err != nil {
			return nil, err
		}
		all = append(all, grouping{blocks, p.coupling()})
	}
	return all, nil
}
