package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
)

// reproduceCommand repeats what the paper shows.
func reproduceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Repeat what the paper shows, and answer what it asks",
		Long: `Repeat what Fiedler and Roith show in "Consensus-based optimization for linearly
separable functions", and answer questions that they leave open.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("cannot reproduce %q: must be one of %s", args[0], strings.Join(reproducible(cmd), ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(table1Command(), figure1Command())
	for _, q := range questions {
		cmd.AddCommand(q.command())
	}
	return cmd
}

// reproducible returns the names of what there is.
func reproducible(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// figure1Command draws Figure 1 of the paper.
func figure1Command() *cobra.Command {
	f, out := experiment.Figure1{Seed: experiment.Figure1Seed}, "."
	cmd := &cobra.Command{
		Use:   "figure1 [--out DIR]",
		Short: "Draw how particles move with the different noises",
		Long: `Draw Figure 1 of the paper: the paths of ten particles on Rastrigin's function g in
two dimensions and on f(x) = g(Wx), with anisotropic noise on g, and on f with
anisotropic, isotropic and transformed noise.

The figure is drawn as figure1.svg. For each panel a line is printed: how
far from the minimiser the consensus ends, the least value found, and at how many seeds
the method arrives. One run shows how particles move, but not how often they arrive.`,
		Example: `  untwist reproduce figure1 --out pictures`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return drawFigure1(cmd, f, out)
		},
	}
	flags := cmd.Flags()
	flags.Var(text(&out), "out", "draw into `DIR`")
	flags.Var(seed(&f.Seed), "seed", "all randomness follows from it: b, W, the start and the noise")
	return cmd
}

// drawFigure1 computes, prints and draws, in this order.
func drawFigure1(cmd *cobra.Command, f experiment.Figure1, dir string) error {
	if err := folder("--out", dir); err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	journeys, err := f.Run(ctx)
	if err == nil {
		_, printed := fmt.Fprint(cmd.OutOrStdout(), f.Table(journeys))
		err = cmp.Or(printed, f.Draw(ctx, dir, journeys))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
