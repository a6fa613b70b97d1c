package store

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// read reads the lines that have come to the file since it was read last. Of a line that is still
// being written, or that nobody has finished, nothing is read.
func (s *Store) read() error {
	info, err := s.file.Stat()
	if err != nil {
		return s.wrap(err)
	}
	if info.Size() < s.end {
		return fmt.Errorf("%s: damaged: it is shorter than before", s.path)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, s.end, info.Size()-s.end), 1<<16)
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return s.wrap(err)
		}
		if err := s.take(text); err != nil {
			return err
		}
	}
}

// take takes notice of the next line.
func (s *Store) take(text []byte) error {
	if s.lines > 0 {
		var k struct {
			Key
			Status *string `json:"status"`
		}
		if err := json.Unmarshal(text, &k); err != nil || k.Status == nil {
			return fmt.Errorf("%s: damaged: line %d is not a run", s.path, s.lines+1)
		}
		if _, there := s.runs[k.Key]; !there {
			s.runs[k.Key] = place{s.end, s.end + int64(len(text)) - 1}
		}
	} else if err := s.identify(text); err != nil {
		return err
	}
	s.lines++
	s.end += int64(len(text))
	return nil
}

// append adds a line, after all others that are complete, and returns when it is on the disk.
func (s *Store) append(text []byte) error {
	text = append(text, '\n')
	if err := s.file.Truncate(s.end); err != nil { // what nobody has finished
		return s.wrap(err)
	}
	if _, err := s.file.WriteAt(text, s.end); err != nil {
		s.file.Truncate(s.end)
		return s.wrap(err)
	}
	if err := s.file.Sync(); err != nil {
		return s.wrap(err)
	}
	return s.take(text)
}

const (
	// patience is how long a file that another program writes to is waited for.
	patience = time.Minute
	// again is how often it is tried.
	again = 20 * time.Millisecond
)

// locked does something while no other program writes to the file.
func (s *Store) locked(ctx context.Context, do func() error) error {
	for began := time.Now(); ; {
		free, err := lock(s.file)
		if err != nil {
			return s.wrap(err)
		}
		if free {
			break
		}
		if time.Since(began) > patience {
			return fmt.Errorf("%s: another program has locked it for %v", s.path, patience)
		}
		select {
		case <-ctx.Done():
			return s.wrap(context.Cause(ctx))
		case <-time.After(again):
		}
	}
	defer unlock(s.file)
	return do()
}
