package wire_test

import (
	"fmt"

	"github.com/untwist/untwist/internal/cluster/wire"
)

// A chunk of two points travels as bytes, and a flipped bit is noticed.
func Example() {
	chunk := &wire.Chunk{Run: wire.RunID{1}, First: 7, Dim: 2, Points: []float64{1, 2, 3, 4}}
	message := chunk.Encode()
	back, err := wire.DecodeChunk(message)
	fmt.Println(len(message), back.First, back.Len(), back.Point(1), err)
	message[40] ^= 1
	_, err = wire.DecodeChunk(message)
	fmt.Println(err)
	// Output:
	// 66 7 2 [3 4] <nil>
	// a message that cannot be used: its checksum is wrong
}
