package acceptance

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/problem"
)

var (
	ctx      = context.Background()
	errPower = errors.New("the power is gone")
)

// mixed returns a problem with the paper's W.
func mixed(t testing.TB, name string, d int, seed uint64) *problem.Problem {
	t.Helper()
	p, err := problem.New(problem.Spec{Name: name, Dim: d, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// same compares results but for where the queries came from.
func same(t *testing.T, want, got untwist.Result) {
	t.Helper()
	all := cmp.Exporter(func(reflect.Type) bool { return true })
	if diff := cmp.Diff(want, got, all, cmpopts.IgnoreFields(untwist.Account{}, "Resumed")); diff != "" {
		t.Errorf("the result differs:\n%s", diff)
	}
}
