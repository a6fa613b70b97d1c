package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/untwist/untwist/internal/store"
)

// Runs are kept as they finish. The store of one experiment refuses another.
func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, path := context.Background(), filepath.Join(dir, "runs.jsonl")

	s, err := store.Open(ctx, path, store.Setting{Name: "dim", Value: "10"})
	if err != nil {
		fmt.Println(err)
		return
	}
	key := store.Key{Problem: "rastrigin", Method: "auto", Seed: 7}
	if err := s.Put(ctx, store.Run{Key: key, Status: "target-reached", Gap: 1e-9, Queries: 1500}); err != nil {
		fmt.Println(err)
		return
	}
	run, there, err := s.Get(ctx, key)
	fmt.Println(run.Queries, there, err)
	s.Close()

	_, err = store.Open(ctx, path, store.Setting{Name: "dim", Value: "20"})
	var other *store.OtherError
	if errors.As(err, &other) {
		fmt.Println("it holds", other.Setting, other.Holds, "and not", other.Asks)
	}
	// Output:
	// 1500 true <nil>
	// it holds dim 10 and not 20
}
