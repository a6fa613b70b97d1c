package wire

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// Values are what a worker says about queries of a chunk: about all of them, or about those
// that it has evaluated before it had to stop.
type Values struct {
	Run     RunID
	Worker  string
	First   int
	Answers []Answer
}

// An Answer is the answer to one query.
type Answer struct {
	Offset int    // how many queries after the first
	Check  uint32 // the checksum of its point
	objective.Answer
}

const answerBytes = 32

// A reason is why a point failed.
type reason struct {
	kind   objective.FailureKind
	detail string
}

// Encode returns the values as a message.
func (v *Values) Encode() []byte {
	room := 1 + longestName + 8 + 4 + answerBytes*len(v.Answers) + 2
	return seal(valuesKind, v.Run, room, func(dst []byte) []byte {
		little := binary.LittleEndian
		dst = appendName(dst, v.Worker)
		dst = little.AppendUint64(dst, uint64(v.First))
		dst = little.AppendUint32(dst, uint32(len(v.Answers)))
		var reasons []reason
		which := map[reason]int{}
		for _, a := range v.Answers {
			note := 0
			if a.Failure != nil {
				r := reason{a.Failure.Kind, Line(a.Failure.Detail, longestDetail)}
				if which[r] == 0 {
					reasons = append(reasons, r)
					which[r] = len(reasons)
				}
				note = which[r]
			}
			dst = little.AppendUint32(dst, uint32(a.Offset))
			dst = little.AppendUint32(dst, a.Check)
			dst = little.AppendUint64(dst, math.Float64bits(a.Value))
			dst = little.AppendUint64(dst, math.Float64bits(a.Seconds))
			dst = little.AppendUint64(dst, uint64(note))
		}
		dst = little.AppendUint16(dst, uint16(len(reasons)))
		for _, r := range reasons {
			dst = append(append(dst, byte(r.kind), byte(len(r.detail))), r.detail...)
		}
		return v.appendNumbers(dst)
	})
}

// appendNumbers appends the numbers of the answers, if they have several.
func (v *Values) appendNumbers(dst []byte) []byte {
	width := 0
	for _, a := range v.Answers {
		width = max(width, len(a.Numbers))
	}
	if width == 0 {
		return dst
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(width))
	none := slices.Repeat([]float64{math.NaN()}, width)
	for _, a := range v.Answers {
		dst = appendFloats(appendFloats(dst, a.Numbers), none[len(a.Numbers):])
	}
	return dst
}

// numbers reads the numbers of answers, if there are any, and the end of the message.
func (l *letter) numbers(answers []Answer) error {
	if len(l.rest) == 0 {
		return nil
	}
	left := len(l.rest)
	width := int(number[uint32](l))
	if l.short || width < 1 || width != len(l.rest)/(8*len(answers)) || len(l.rest) != 8*width*len(answers) {
		return bad("%d bytes are left over", left)
	}
	for i := range answers {
		all := make([]float64, width)
		_, _ = binary.Decode(l.take(8*width), binary.LittleEndian, all) // the length is right
		if slices.ContainsFunc(all, func(v float64) bool { return !math.IsNaN(v) }) {
			answers[i].Numbers = all
		}
	}
	return nil
}

// DecodeValues reads a message. It refuses whatever a worker would not have sent.
func DecodeValues(message []byte) (*Values, error) {
	run, l, err := open(valuesKind, message)
	if err != nil {
		return nil, err
	}
	v := &Values{Run: run}
	if v.Worker, err = l.name(); err != nil {
		return nil, err
	}
	if v.First, err = l.firstNumber(); err != nil {
		return nil, err
	}
	n := int(number[uint32](l))
	if n < 1 || n > MostPoints {
		return nil, bad("%d values; 1 to %d are allowed", n, MostPoints)
	}
	answers := letter{rest: l.take(answerBytes * n)}
	reasons, err := l.reasons(n)
	if err != nil {
		return nil, err
	}
	v.Answers = make([]Answer, n)
	last := -1
	for i := range v.Answers {
		if v.Answers[i], err = answers.answer(reasons, v.Worker); err != nil {
			return nil, err
		}
		if v.Answers[i].Offset <= last {
			return nil, bad("the values are not in the order of their queries")
		}
		last = v.Answers[i].Offset
	}
	return v, l.numbers(v.Answers)
}

// reasons reads the kinds and reasons of failures, at most so many.
func (l *letter) reasons(most int) (all []*objective.Failure, err error) {
	m := int(number[uint16](l))
	if m > most {
		return nil, bad("%d reasons for failures of %d points", m, most)
	}
	for range m {
		kind, detail := objective.FailureKind(number[byte](l)), string(l.take(int(number[byte](l))))
		switch {
		case l.short:
			return nil, bad("%v", errShort)
		case kind > objective.Errored:
			return nil, bad("a failure of the kind %d", int(kind))
		case len(detail) > longestDetail || !printable(detail):
			return nil, bad("the words about a failure are not one line of at most %d bytes", longestDetail)
		}
		all = append(all, &objective.Failure{Kind: kind, Detail: detail})
	}
	if l.short {
		return nil, bad("%v", errShort)
	}
	return all, nil
}

func (l *letter) answer(reasons []*objective.Failure, by string) (Answer, error) {
	a := Answer{Offset: int(number[uint32](l)), Check: number[uint32](l)}
	a.Value, a.Seconds = number[float64](l), number[float64](l)
	note := number[uint64](l)
	a.By = by
	switch {
	case a.Offset >= MostPoints:
		return a, bad("a value for the point %d of a chunk, which has at most %d", a.Offset+1, MostPoints)
	case math.IsNaN(a.Value):
		return a, bad("a value is not a number")
	case !(a.Seconds >= 0 && a.Seconds < math.MaxInt32):
		return a, bad("an evaluation took %v seconds", a.Seconds)
	case note > uint64(len(reasons)):
		return a, bad("a failure without a reason")
	case note > 0 && !math.IsInf(a.Value, 1):
		return a, bad("a point that failed has a value")
	case note == 0 && math.IsInf(a.Value, 1):
		return a, bad("a point has failed, and nobody says why")
	}
	if note > 0 {
		a.Failure = reasons[note-1]
	}
	return a, nil
}
