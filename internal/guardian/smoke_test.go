package guardian

import "testing"

func play(role string) {}

func TestSmoke(t *testing.T) {
	g, err := Start("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Run(Command{Path: "/bin/sh", Args: []string{"sh", "-c", "exit 3"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(p.State())
	<-p.Done()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkTrue(b *testing.B) {
	g, err := Start("")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := g.Run(Command{Path: "/bin/true", Args: []string{"true"}})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
	}
	if err := g.Close(); err != nil {
		b.Fatal(err)
	}
}
