package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/problem"
)

// problemsCommand lists the built-in problems.
func problemsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "problems",
		Short: "List the built-in problems",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(problem.Catalogue())
			}
			table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "NAME\tSTRUCTURE\tMIX\tg(y)")
			for _, e := range problem.Catalogue() {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", e.Name, e.Structure, cmp.Or(e.Mix, "own"), e.Formula)
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
