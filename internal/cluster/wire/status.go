package wire

// A Status says how a run is going.
type Status struct {
	Version int
	Run     string
	Name    string // what is evaluated
	Highest int    // the greatest number of a query that was asked so far
	Out     int    // chunks that are out
	Retries int    // chunks that were sent again
	Differ  int    // points for which workers had different values
	Workers []WorkerStatus
}

// A WorkerStatus says how a worker is doing.
type WorkerStatus struct {
	Name     string
	Procs    int
	Working  int     // chunks that it works on
	Points   int     // whose values it has sent
	Failed   int     // of these
	Failure  string  // why the last of them has
	Rate     float64 // points a second
	Silent   float64 // for how many seconds it has said nothing
	Gone     bool    // it was not heard of for too long, or has left
	Left     bool    // it has said that it goes
	Excluded string  // why it gets no more work
}

// Procs returns how many processes work for the run.
func (s Status) Procs() (n int) {
	for _, w := range s.Workers {
		if !w.Gone && w.Excluded == "" {
			n += w.Procs
		}
	}
	return n
}

// Present returns how many workers there are.
func (s Status) Present() (n int) {
	for _, w := range s.Workers {
		if !w.Gone && w.Excluded == "" {
			n++
		}
	}
	return n
}

// Encode returns the status as a message.
func (s Status) Encode() []byte { return encodeJSON(s) }

// DecodeStatus reads a Status.
func DecodeStatus(message []byte) (s Status, err error) {
	if err := decodeVersion(message, &s); err != nil {
		return Status{}, err
	}
	if _, err := ParseRunID(s.Run); err != nil {
		return Status{}, bad("%v", err)
	}
	if min(s.Highest, s.Out, s.Retries, s.Differ) < 0 {
		return Status{}, bad("a run with less than nothing")
	}
	s.Name = Line(s.Name, LongestWords)
	for i := range s.Workers {
		w := &s.Workers[i]
		if err := CheckName(w.Name); err != nil {
			return Status{}, err
		}
		if min(w.Procs, w.Working, w.Points, w.Failed) < 0 || w.Procs > MostProcs || min(w.Rate, w.Silent) < 0 {
			return Status{}, bad("a worker with less than nothing, or more than %d processes", MostProcs)
		}
		w.Excluded, w.Failure = Line(w.Excluded, LongestWords), Line(w.Failure, LongestWords)
	}
	return s, nil
}
