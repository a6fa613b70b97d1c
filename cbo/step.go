package cbo

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// step moves the members of the batch by one Euler–Maruyama step (section 2.1)
// and evaluates them at their new positions:
//
//	x ← x − λτH (x − c) + σ√τ D(x − c) ξ
//
// where c is the consensus from gather. H is 1 unless there is a correction. With
// memory there are two more terms of the same form. With a momentum it decides what the
// sum of all is. If shaken is true, the noise of Resample is added. With a mirror it is y that
// moves so, and x = ∇φ*(y).
func (s *swarm) step(ctx context.Context, k int, shaken bool) error {
	lambda, tau, sigma := s.cfg.Lambda, s.cfg.Tau, s.cfg.Sigma.At(k)

	if err := s.correct(ctx); err != nil {
		return err
	}
	for m, i := range s.batch.members {
		copy(s.moved.RawRowView(m), s.y.RawRowView(i))
		kernel.Difference(s.z.RawRowView(m), 1, s.x.RawRowView(i), s.centre(m))
	}
	if s.p != nil {
		s.p.Zero()
		s.q.Zero()
	}
	s.pull(lambda, tau, sigma, s.h)

	if lambdaM, sigmaM := s.cfg.Memory.pull(sigma); lambdaM != 0 || sigmaM != 0 {
		for m, i := range s.batch.members {
			kernel.Difference(s.z.RawRowView(m), 1, s.x.RawRowView(i), s.past.RawRowView(i))
		}
		s.pull(lambdaM, tau, sigmaM, s.ones)
	}
	if s.p != nil {
		for m, i := range s.batch.members {
			s.cfg.Momentum.move(s.moved.RawRowView(m), s.p.RawRowView(m), s.q.RawRowView(m), s.kept.RawRowView(i), k, lambda*tau, tau)
		}
	}
	if shaken {
		s.shake(s.cfg.Resample.Sigma * math.Sqrt(tau))
	}
	s.cfg.Domain.Confine(s.moved, s.scratch)
	if s.seen != s.moved {
		s.cfg.Mirror.image(s.seen, s.moved, s.scratch)
	}

	if err := s.evaluate(ctx, s.seen, s.movedE); err != nil {
		return err
	}
	s.settle()
	return nil
}

// correct sets h to the factor H of each member.
func (s *swarm) correct(ctx context.Context) error {
	if !s.cfg.Correction.Asks() {
		return nil // h stays 1
	}
	s.cfg.Mirror.dual(s.probe.RawRowView(0), s.c)
	s.cfg.Domain.Confine(s.probe, s.scratch)
	s.cfg.Mirror.image(s.probe, s.probe, s.scratch)
	if err := s.evaluate(ctx, s.probe, s.fc); err != nil {
		return err
	}
	for m, i := range s.batch.members {
		s.h[m] = s.cfg.Correction.Factor(excess(s.energies[i], s.fc[0]))
	}
	return nil
}

// pull adds −λτh z + σ√τ D(z) ξ to every moved member, or with a momentum to its p and q.
func (s *swarm) pull(lambda, tau, sigma float64, h []float64) {
	s.noise.Norm(s.xi.RawMatrix().Data)
	if s.root != nil {
		s.cfg.Noise.(weighed).applyWeighed(s.dxi, s.z, s.weights, s.xi, s.root)
	} else {
		s.cfg.Noise.Apply(s.dxi, s.z, s.xi, s.work)
	}
	noise := sigma * math.Sqrt(tau)
	for m := range h {
		drift := lambda * tau * h[m]
		if s.p != nil {
			kernel.AddScaled(s.p.RawRowView(m), -drift, s.z.RawRowView(m))
			kernel.AddScaled(s.q.RawRowView(m), noise, s.dxi.RawRowView(m))
			continue
		}
		x := s.moved.RawRowView(m)
		kernel.Combine(x, x, -drift, s.z.RawRowView(m), noise, s.dxi.RawRowView(m))
	}
}

// shake adds r ξ, ξ ~ N(0, I), to every moved member.
func (s *swarm) shake(r float64) {
	for m := range s.batch.members {
		x, xi := s.moved.RawRowView(m), s.scratch
		s.jolt.Norm(xi)
		for j := range x {
			x[j] += float64(r * xi[j])
		}
	}
}

// settle puts the moved members back among the particles. A particle with memory
// remembers its new position if it is better.
func (s *swarm) settle() {
	for m, i := range s.batch.members {
		s.x.SetRow(i, s.seen.RawRowView(m))
		if s.y != s.x {
			s.y.SetRow(i, s.moved.RawRowView(m))
		}
		s.energies[i] = s.movedE[m]
		if s.energies[i] < s.pastE[i] { // never without memory, where past is x itself
			s.past.SetRow(i, s.seen.RawRowView(m))
			s.pastE[i] = s.energies[i]
		}
	}
}
