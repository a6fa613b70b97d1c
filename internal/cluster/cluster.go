// Package cluster evaluates points on many machines.
//
// A Coordinator is an objective whose points workers evaluate:
//
//	server, err := cluster.Listen(run, "127.0.0.1:4222", cluster.Access{})
//	f, err := server.Coordinate(cluster.Config{Run: run, Dim: d, About: about})
//	result, err := untwist.Minimize(ctx, f, options)
//	f.Done()
//
// and Work is a worker, on this machine or any other, that has the function. They speak by
// NATS with JetStream: a server in this process (Listen), or one that is there (Coordinate).
//
// The journal is the truth, and the queue may be lost at any time. The coordinator cuts a
// batch into chunks and puts them on a work-queue stream in the server's memory. A worker
// takes one, says every 5 seconds that it works on it, sends its values to the coordinator,
// and acknowledges the chunk when the coordinator has answered that they are in the journal.
// A value belongs to a run and the number of a query: the first that comes is used, and a
// second one is compared with it. What does not come back is sent again.
//
// Values are stored by the numbers of their queries, so any number of workers gives the same
// bits. No decision compares the clocks of two machines. docs/cluster.md has the messages,
// the guarantees and what to do where.
package cluster

import "github.com/untwist/untwist/internal/cluster/wire"

// A RunID tells the runs on a server apart: 16 hexadecimal digits.
type RunID = wire.RunID

// ParseRunID reads 16 hexadecimal digits.
func ParseRunID(text string) (RunID, error) { return wire.ParseRunID(text) }
