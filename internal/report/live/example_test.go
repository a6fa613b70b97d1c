package live_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/live"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/objective"
)

// A run that can be looked at with a browser while it goes on.
func Example() {
	subject := report.Subject{Name: "bowl", Dim: 2}
	server, err := live.Listen(live.Config{Address: "127.0.0.1:0", Title: subject.Name, Style: page.Style(), Page: func(s live.State) live.Page {
		return page.Page{Run: report.Run{Subject: subject, Result: s.Result}, Running: true}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := objective.Func(2, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] })
	result, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 500, Progress: server.Show})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(seen(server.URL(), "that is still going on"))
	server.Finish(page.Page{Run: report.Run{Subject: subject, Result: result}})
	fmt.Println(seen(server.URL(), "that is still going on"))
	cancel() // nobody looks any more
	server.Close(ctx)
	// Output:
	// true
	// false
}

// seen reports whether a browser would see some words.
func seen(url, words string) bool {
	answer, err := http.Get(url)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return strings.Contains(string(text), words)
}
