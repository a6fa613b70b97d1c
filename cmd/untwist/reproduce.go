package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/experiment"
)

// reproduceCommand repeats what the paper shows.
func reproduceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Repeat what the paper shows",
		Long: `Repeat what Fiedler and Roith show in "Consensus-based optimization for linearly
separable functions".`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("cannot reproduce %q: one of %s", args[0], strings.Join(reproducible(cmd), ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(table1Command(), figure1Command())
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
	at, out := seed(experiment.Figure1Seed), text(".")
	cmd := &cobra.Command{
		Use:   "figure1 [--out DIR]",
		Short: "Draw how particles move with the different noises",
		Long: `Draw Figure 1 of the paper: the paths of ten particles on Rastrigin's function g in
two dimensions and on f(x) = g(Wx), with anisotropic noise on g, and on f with
anisotropic, isotropic and transformed noise.

It is drawn as figure1.svg and figure1.png. Printed is for each panel how far from
the minimiser the consensus ends, the least value found, and at how many seeds the
method arrives: one run shows how particles move, not how often they arrive.`,
		Example: `  untwist reproduce figure1 --out pictures`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return drawFigure1(cmd, experiment.Figure1{Seed: uint64(at)}, string(out))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&out, "out", "draw into `DIR`")
	flags.Var(&at, "seed", "all randomness follows from it: b, W, the start and the noise")
	return cmd
}

// drawFigure1 computes, draws and prints.
func drawFigure1(cmd *cobra.Command, f experiment.Figure1, dir string) error {
	if err := takesFiles(dir); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	ctx, stop := untilInterrupted()
	defer stop()
	journeys, err := f.Run(ctx)
	if err == nil {
		err = f.Draw(ctx, dir, journeys)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), f.Table(journeys))
	return err
}

// takesFiles makes a folder, if there is none, and finds out whether files can be
// written there.
func takesFiles(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".untwist-*")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}
