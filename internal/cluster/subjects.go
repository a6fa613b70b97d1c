package cluster

import (
	"errors"

	"github.com/nats-io/nats-server/v2/server"
)

// The subjects of a run, and its stream. Everything that is particular to a run has the run
// in its name, so that many runs can share a server.
const (
	everyone = "untwist" // asks all coordinators on a server
	streams  = "UNTWIST-"
	workers  = "workers" // the consumer
)

// What subjects end with. wire/MESSAGES.md says who says what to whom.
const (
	hello  = "hello"
	status = "status"
	work   = "work"
	values = "values"
	end    = "end"
)

// farewell is what the coordinator says at the end of a run. No answer of a coordinator or a
// queue says so: a worker can ask for these to be sent to others.
const farewell = "the run is over"

func subject(run RunID, what string) string { return everyone + "." + run.String() + "." + what }
func subjectOfAll(what string) string       { return everyone + "." + what }
func streamOf(run RunID) string             { return streams + run.String() }

// inboxOf returns what the subjects begin with on which a client gets answers. A client that
// has a name of its own cannot be read by others.
func inboxOf(client string) string { return "_INBOX." + client }

const (
	// queueAPI is what subjects begin with on which a queue is asked.
	queueAPI = "$JS.API"
	// fencedAPI is the same where workers have an account of their own, as on our server:
	// queueAPI is taken there.
	fencedAPI = "QUEUE"
)

// asked are the subjects on which a worker asks for something: for work, and to be heard.
// Those of the queue, and that of all coordinators, can have several answers.
func asked(run RunID, api string) (once, often []string) {
	queue := streamOf(run) + "." + workers
	return []string{subject(run, hello), subject(run, values), api + ".CONSUMER.INFO." + queue, "$JS.ACK." + queue + ".>"},
		[]string{subjectOfAll(hello), subjectOfAll(status), api + ".CONSUMER.MSG.NEXT." + queue}
}

// workerPermissions are what a worker may do on our server: take work of the run, say that
// it works on it or is done with it, send values, and ask. docs/cluster.md has the same
// for a server of one's own.
func workerPermissions(run RunID, client string) *server.Permissions {
	once, often := asked(run, fencedAPI)
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: append(once, often...)},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxOf(client) + ".>", subject(run, end)}},
	}
}

// fence makes an account for the workers, besides the one that has the queue. Permissions
// alone are not enough: a worker can ask the queue to answer on any subject, on one that
// deletes the stream for example, and the queue may do everything. In an account of their
// own, there is nothing that such an answer could reach.
func fence(s *server.Server, run RunID) (*server.Account, error) {
	inside := s.GlobalAccount()
	outside, err := s.RegisterAccount("WORKERS")
	if err != nil {
		return nil, err
	}
	open := func(kind server.ServiceRespType, here, there []string) error {
		for i := range here {
			if err := inside.AddServiceExportWithResponse(there[i], kind, []*server.Account{outside}); err != nil {
				return err
			}
			if err := outside.AddServiceImport(inside, here[i], there[i]); err != nil {
				return err
			}
		}
		return nil
	}
	once, often := asked(run, fencedAPI)
	onceThere, oftenThere := asked(run, queueAPI)
	if err := errors.Join(open(server.Singleton, once, onceThere), open(server.Streamed, often, oftenThere)); err != nil {
		return nil, err
	}
	if err := inside.AddStreamExport(subject(run, end), []*server.Account{outside}); err != nil {
		return nil, err
	}
	return outside, outside.AddStreamImport(inside, subject(run, end), "")
}
