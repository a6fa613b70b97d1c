// Package wire has the messages between a coordinator and its workers, which package cluster
// sends by NATS.
//
// Points travel in a Chunk and their values in Values, both as bytes in an envelope with a
// checksum; a worker greets with a Hello and gets a Welcome, and it gets a Receipt for values;
// a Status says how a run is going. These are JSON. Every message has an Encode method and a
// function that decodes it. MESSAGES.md describes them.
//
// Whatever arrives may have been written by anybody. What is decoded is within all limits,
// its texts can be shown in a line, and it stays the same when it is encoded and decoded
// again. No message has the time of a clock in it: only seconds, which each machine has
// measured by itself.
package wire
