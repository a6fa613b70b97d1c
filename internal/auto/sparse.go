package auto

import (
	"context"

	"github.com/untwist/untwist/identify"
)

// sparsely finds coordinates from Hessians of which only the pairs are asked that interact.
func (r *run) sparsely(ctx context.Context, pairs [][2]int) (*identify.Finding, error) {
	return nil, nil
}
