package wire

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Chunk is points that a worker evaluates: the queries First, First+1, … of a run.
//
// A query is known by its run and its number. The numbers are those of the journal, so they
// are the same after the coordinator was started again: a worker that was in the middle of
// an evaluation can still hand in its value.
type Chunk struct {
	Run    RunID
	First  int
	Dim    int
	Points []float64 // n·d numbers, point by point
	// Skip are the names of workers that have evaluated it already, where somebody else
	// is to do so once more.
	Skip []string
}

// Len returns how many points there are.
func (c *Chunk) Len() int { return len(c.Points) / max(c.Dim, 1) }

// Point returns a point.
func (c *Chunk) Point(i int) []float64 { return c.Points[i*c.Dim : (i+1)*c.Dim] }

// Matrix returns the points as a matrix.
func (c *Chunk) Matrix() *mat.Dense { return mat.NewDense(c.Len(), c.Dim, c.Points) }

// Encode returns the chunk as a message.
func (c *Chunk) Encode() []byte {
	room := 8 + 4 + 4 + 1 + len(c.Skip)*(1+longestName) + 8*len(c.Points)
	return seal(chunkKind, c.Run, room, func(dst []byte) []byte {
		little := binary.LittleEndian
		dst = little.AppendUint64(dst, uint64(c.First))
		dst = little.AppendUint32(dst, uint32(c.Len()))
		dst = little.AppendUint32(dst, uint32(c.Dim))
		dst = append(dst, byte(len(c.Skip)))
		for _, name := range c.Skip {
			dst = appendName(dst, name)
		}
		return appendFloats(dst, c.Points)
	})
}

// DecodeChunk reads a message. It refuses whatever a coordinator would not have sent.
func DecodeChunk(message []byte) (*Chunk, error) {
	run, l, err := open(chunkKind, message)
	if err != nil {
		return nil, err
	}
	c := &Chunk{Run: run}
	if c.First, err = l.firstNumber(); err != nil {
		return nil, err
	}
	n := int(number[uint32](l))
	c.Dim = int(number[uint32](l))
	switch {
	case n < 1 || n > MostPoints:
		return nil, bad("a chunk of %d points; 1 to %d are allowed", n, MostPoints)
	case c.Dim < 1 || c.Dim > MostDim:
		return nil, bad("points of %d numbers; 1 to %d are allowed", c.Dim, MostDim)
	case n > 1 && len(message) > MostBytes:
		return nil, bad("%d bytes; at most %d are allowed", len(message), MostBytes)
	}
	skips := int(number[byte](l))
	if skips > MostSkips {
		return nil, bad("%d workers are to skip it; at most %d are allowed", skips, MostSkips)
	}
	for range skips {
		name, err := l.name()
		if err != nil {
			return nil, err
		}
		c.Skip = append(c.Skip, name)
	}
	if len(l.rest) != 8*n*c.Dim {
		return nil, bad("%d bytes for %d points of %d numbers", len(l.rest), n, c.Dim)
	}
	c.Points = make([]float64, n*c.Dim)
	_, _ = binary.Decode(l.rest, binary.LittleEndian, c.Points) // the length is right
	return c, nil
}

// Skips reports whether a worker is not to evaluate the chunk.
func (c *Chunk) Skips(worker string) bool { return slices.Contains(c.Skip, worker) }

// besides is how many bytes a chunk has besides its points, at most.
const besides = headBytes + sumBytes + 8 + 4 + 4 + 1 + MostSkips*(1+longestName)

// Longest returns how many bytes chunks of points of d numbers, and their values, have at most.
func Longest(d int) int { return max(MostBytes, besides+8*d) }

// Fits returns how many points of d numbers go into a chunk.
func Fits(d int) int {
	return min(max((MostBytes-besides)/(8*d), 1), MostPoints)
}

func appendFloats(dst []byte, numbers []float64) []byte {
	dst, _ = binary.Append(dst, binary.LittleEndian, numbers) // which have a fixed size
	return dst
}

// CheckOf returns the checksum of a point, by which a value is known to belong to it.
func CheckOf(point []float64) uint32 {
	return crc32.Checksum(appendFloats(make([]byte, 0, 8*len(point)), point), castagnoli)
}
