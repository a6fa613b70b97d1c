package frame

import (
	"encoding/json"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// form is the JSON form of a frame: W̃ by rows.
type form struct {
	Components int         `json:"components"`
	Dim        int         `json:"dim"`
	Rows       [][]float64 `json:"rows"`
	Dependent  bool        `json:"dependent,omitempty"` // only Pseudo makes a frame of them
}

// MarshalJSON writes W̃ with enough decimals to give back the same bits.
func (f *Frame) MarshalJSON() ([]byte, error) {
	if f == nil || f.w == nil {
		return nil, errors.New("frame: there is nothing to write: make the frame with New first")
	}
	out := form{Components: f.Components(), Dim: f.Dim(), Dependent: f.dependent}
	for j := range out.Components {
		out.Rows = append(out.Rows, f.w.RawRowView(j))
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads W̃ and computes its pseudo-inverse.
func (f *Frame) UnmarshalJSON(data []byte) error {
	var in form
	if err := json.Unmarshal(data, &in); err != nil {
		return inWords(err)
	}
	if len(in.Rows) == 0 || len(in.Rows) != in.Components {
		return fmt.Errorf("frame: %d rows for %d components", len(in.Rows), in.Components)
	}
	w := mat.NewDense(len(in.Rows), max(1, in.Dim), nil)
	for j, row := range in.Rows {
		if len(row) != in.Dim {
			return fmt.Errorf("frame: row %d has %d numbers for %d dimensions", j+1, len(row), in.Dim)
		}
		w.SetRow(j, row)
	}
	from := New
	if in.Dependent {
		from = Pseudo
	}
	made, err := from(w)
	if err != nil {
		return err
	}
	*f = *made
	return nil
}

// inWords explains what is wrong with the JSON to someone who does not know Go.
func inWords(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return fmt.Errorf("frame: this is not JSON: %w", err)
	}
	switch kind.Field {
	case "components", "dim":
		return fmt.Errorf("frame: %q must be a whole number, not: %s", kind.Field, kind.Value)
	case "rows":
		return fmt.Errorf("frame: %q must be lists of numbers, not: %s", kind.Field, kind.Value)
	}
	return fmt.Errorf(`frame: must be a JSON object with "components", "dim" and "rows", not: %s`, kind.Value)
}
