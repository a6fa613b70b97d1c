package cluster

import "github.com/nats-io/nats-server/v2/server"

// The subjects of a run, and its stream. Everything that is particular to a run has the run
// in its name, so that many runs can share a server.
const (
	everyone = "untwist" // asks all coordinators on a server
	streams  = "UNTWIST-"
	workers  = "workers" // the consumer
)

// Who says what to whom:
//
//	untwist.hello       worker → coordinators, request: which of you has work for me?
//	untwist.status      anybody → coordinators, request: how are you?
//	untwist.RUN.hello   worker → coordinator, request: I am still here
//	untwist.RUN.work    coordinator → stream: a chunk
//	untwist.RUN.values  worker → coordinator, request: values
//	untwist.RUN.end     coordinator → workers: the run is over
const (
	hello  = "hello"
	status = "status"
	work   = "work"
	values = "values"
	end    = "end"
)

func subject(run RunID, what string) string { return everyone + "." + run.String() + "." + what }
func subjectOfAll(what string) string       { return everyone + "." + what }
func streamOf(run RunID) string             { return streams + run.String() }

// inboxOf returns what the subjects begin with on which a client gets answers. A client that
// has a name of its own cannot be read by others.
func inboxOf(client string) string { return "_INBOX." + client }

// workerPermissions are what a worker may do on our server: take work of the run, say that
// it works on it or is done with it, send values, and ask. docs/cluster.md has the same
// for a server of one's own.
func workerPermissions(run RunID, client string) *server.Permissions {
	stream := streamOf(run)
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			subjectOfAll(hello), subjectOfAll(status), subject(run, hello), subject(run, values),
			"$JS.API.CONSUMER.INFO." + stream + "." + workers,
			"$JS.API.CONSUMER.MSG.NEXT." + stream + "." + workers,
			"$JS.ACK." + stream + "." + workers + ".>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxOf(client) + ".>", subject(run, end)}},
	}
}
