package problem

// Complete fills in the defaults, and returns an *objective.OptionError if a field is bad. New
// does the same before it draws the problem, which takes longer.
func (s *Spec) Complete() error {
	_, err := s.complete()
	return err
}
