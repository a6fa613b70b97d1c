package journal

import "encoding/hex"

// ID returns the random digits that the journal was begun with. They stay the same however
// often the run is resumed, and those of another journal are others.
func (j *Journal) ID() string { return hex.EncodeToString(j.origin.id[:]) }

// Flush writes all answers that were told so far to the file, without waiting for more. When
// it returns nil, a kill of the process does not lose them any more. (A power failure may:
// the file is brought to the disk within a second, see docs/journal.md.)
func (j *Journal) Flush() error { return j.writer.flush() }
