package browser

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// media sets a medium, "screen" or "print", and what its reader prefers, "light" or "dark".
func (b *browser) media(medium, scheme string) {
	b.t.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.t.Fatal(err)
	}
}

// scripts switches the scripts of pages on or off.
func (b *browser) scripts(on bool) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}); err != nil {
		b.t.Fatal(err)
	}
}

// wide are the elements that reach beyond the window, other than within boxes that scroll.
const wide = `(() => {
	const width = document.documentElement.clientWidth, all = [];
	if (document.documentElement.scrollWidth > width) all.push("the page: " + document.documentElement.scrollWidth + " of " + width);
	for (const e of document.body.querySelectorAll("*")) {
		const r = e.getBoundingClientRect();
		if (r.width === 0 || (r.right <= width + 0.5 && r.left >= -0.5)) continue;
		let box = e.parentElement;
		while (box && !["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)) box = box.parentElement;
		if (!box) all.push(e.outerHTML.slice(0, 100) + ": " + r.left + " to " + r.right + " of " + width);
	}
	return all;
})()`

// faint are the texts that stand out too little from their ground, by the ratio of luminances of the W3C's guidelines.
const faint = `(() => {
	const channels = colour => colour.match(/[\d.]+/g).map(Number);
	const luminance = colour => {
		const [r, g, b] = channels(colour).map(v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ground = e => {
		for (; e; e = e.parentElement) {
			const colour = getComputedStyle(e).backgroundColor, parts = channels(colour);
			if (parts.length < 4 || parts[3] === 1) return colour;
		}
		return "rgb(255, 255, 255)";
	};
	const all = [];
	for (const e of document.body.querySelectorAll("*")) {
		if (e.matches("title, .c-in")) continue; // nobody sees the first, and the second is on a part of a bar
		if (![...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim())) continue;
		const style = getComputedStyle(e), colour = e.closest("svg") ? style.fill : style.color;
		if (!colour.startsWith("rgb")) continue;
		const [dark, light] = [luminance(colour), luminance(ground(e))].sort((a, b) => a - b);
		if ((light + 0.05) / (dark + 0.05) < 3) all.push(e.outerHTML.slice(0, 100) + ": " + colour + " on " + ground(e));
	}
	return all;
})()`

// forms are the ways in which a page is read; a printed one is as wide as A4 without its margins.
var forms = []struct {
	medium, scheme string
	width          int64
}{
	{"screen", "light", 1400}, {"screen", "light", 390}, {"screen", "dark", 1400}, {"screen", "dark", 390}, {"print", "light", 688}, {"print", "dark", 688},
}

// looks checks a page in all forms, and takes pictures of it.
func (b *browser) looks(name string) {
	b.t.Helper()
	grounds := map[string]map[string]bool{"screen": {}, "print": {}}
	for _, form := range forms {
		b.media(form.medium, form.scheme)
		b.do(chromedp.EmulateViewport(form.width, 900))
		for what, expression := range map[string]string{"too wide": wide, "too faint": faint} {
			for _, e := range js[[]string](b, expression) {
				b.t.Errorf("%s, %v, is %s: %s", name, form, what, e)
			}
		}
		grounds[form.medium][js[string](b, `getComputedStyle(document.body).backgroundColor`)] = true
		if os.Getenv("SCREENSHOTS") != "" && form.medium == "screen" {
			pictures(b.t, fmt.Sprintf("%s-%s-%d.png", name, form.scheme, form.width), get(b, chromedp.FullScreenshot(100)))
		}
	}
	if len(grounds["screen"]) != 2 || len(grounds["print"]) != 1 || !grounds["print"]["rgb(255, 255, 255)"] {
		b.t.Errorf("%s has the grounds %v, want two on screens, and paper is white", name, grounds)
	}
	paper := get(b, chromedp.PrintToPDF()) // for a reader who prefers dark
	if os.Getenv("SCREENSHOTS") != "" {
		pictures(b.t, name+".pdf", paper)
	}
	b.media("screen", "light")
	b.do(chromedp.ResetViewport())
}

// click opens whatever can be opened, and goes to wherever a link within the page leads.
func (b *browser) click() {
	b.t.Helper()
	for i := range js[int](b, `document.querySelectorAll("summary").length`) {
		open := fmt.Sprintf(`document.querySelectorAll("summary")[%d].parentElement.open`, i)
		before := js[bool](b, open)
		js[any](b, fmt.Sprintf(`document.querySelectorAll("summary")[%d].click()`, i))
		if js[bool](b, open) == before {
			b.t.Errorf("a click on summary %d changes nothing", i+1)
		}
	}
	for _, missing := range js[[]string](b, `[...document.querySelectorAll("a[href]")].map(a => a.getAttribute("href")).filter(h => !h.startsWith("#") || !document.getElementById(h.slice(1)))`) {
		b.t.Errorf("a link leads to %s", missing)
	}
}

// reports are runs whose reports are looked at: of built-in problems and of the real ones in examples, in a copy of whose folder
// they are made.
var reports = []struct {
	name string
	args []string
}{
	{"rastrigin", []string{"--problem", "rastrigin", "--dim", "10"}},
	{"noisy", []string{"--problem", "rastrigin", "--dim", "6", "--noise", "0.01", "--budget", "20000"}},
	{"program", []string{"--exec", "simulator", "--dim", "6", "--bounds", "-5:5", "--budget", "6000"}},
	{"units", []string{"units.toml", "--budget", "3000"}},
	{"reactor", []string{"calibration/reactor.toml"}},
	{"truss", []string{"truss.toml"}},
	{"generators", []string{"dispatch.toml"}},
	{"exchanger", []string{"exchanger.toml"}},
	{"mirror", []string{"mirror.toml"}},
	{"pipe", []string{"pipe.toml"}},
}

// A report can be read in a browser, in all forms, with scripts and without, and says what the JSON object says.
func TestReports(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("cc", "-O2", "-o", "reactor", "reactor.c", "-lm")
	compile.Dir = filepath.Join(folder, "calibration")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	units := fmt.Appendf(nil, "[objective]\nexec = [%q]\n[parameters]\na = { min = -5, max = 5, unit = \"m\" }\nb = { min = -5, max = 5 }\n", simulator)
	if err := os.WriteFile(filepath.Join(folder, "units.toml"), units, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range reports {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(folder, c.name+".html")
			args := []string{"minimize", "--json", "--report", file}
			for _, arg := range c.args {
				if arg == "simulator" {
					arg = simulator
				} else if strings.HasSuffix(arg, ".toml") {
					arg = filepath.Join(folder, arg)
				}
				args = append(args, arg)
			}
			o := begin(t, 0, args...).end()
			b := open(t) // when the run has ended: a browser has three minutes
			for _, scripts := range []bool{true, false} {
				b.scripts(scripts)
				b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()))
				b.agree(o)
				if n := js[int](b, `document.querySelectorAll("svg").length`); n < 2 {
					t.Errorf("there are %d pictures", n)
				}
				if n := js[int](b, `document.scripts.length`); n > 0 {
					t.Errorf("there are %d scripts", n)
				}
			}
			b.scripts(true)
			b.click()
			b.looks("report-" + c.name)
			b.do(chromedp.EmulateViewport(390, 900)) // where cells are below one another
			if n := js[int](b, `[...document.querySelectorAll(".stack td")].filter(cell => cell.textContent.trim() === "" && cell.offsetHeight > 0).length`); n > 0 {
				t.Errorf("there are %d empty cells on a phone", n)
			}
			b.clean()
		})
	}
}

// The examples in docs can be looked at.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../docs/reports/*.html")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no examples in docs/reports")
	}
	b := open(t)
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: path}).String()))
		b.facts()
		b.click()
		b.looks("example-" + strings.TrimSuffix(filepath.Base(file), ".html"))
	}
	b.clean()
}

// slowly is a run of some seconds that can be looked at.
func slowly(t *testing.T, pause time.Duration, args ...string) *process {
	t.Helper()
	return begin(t, pause, append([]string{"minimize", "--exec", simulator, "--dim", "6", "--bounds", "-5:5", "--budget", "6000", "--json", "--live", "127.0.0.1:0"}, args...)...)
}

// says waits until the line at the bottom of a live page says something.
func (b *browser) says(words string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.getElementById("live")?.textContent.includes(%q) ?? false`, words))
}

// curve is how many places the curve of convergence has.
const curve = `(document.querySelector("#convergence svg")?.outerHTML.length ?? 0)`

// A live page follows a run from its start to its end: the numbers grow, the curve does, what was
// learnt appears before the end, and the last page is the report.
func TestLive(t *testing.T) {
	b := open(t)
	file := filepath.Join(t.TempDir(), "report.html")
	p := slowly(t, 8*time.Millisecond, "--report", file)
	b.do(chromedp.Navigate(p.url))
	b.says("The run goes on")
	b.until(`["Now: ", "Time left: at most about"].every(words => document.querySelector("#summary").innerText.includes(words))`)
	if !js[bool](b, `document.querySelector("#learnt") === null`) {
		t.Error("it is known at the start what the function is like")
	}
	b.until(curve + " > 0")
	before, first := js[int](b, curve), b.queries()
	b.until(fmt.Sprintf("%s > %d", curve, before))
	if then := b.queries(); then <= first {
		t.Errorf("the curve has grown, and there were %d queries, then %d", first, then)
	}
	b.until(`document.querySelector("#learnt") !== null`)
	if !js[bool](b, `document.getElementById("live").textContent.includes("goes on")`) {
		t.Error("what was learnt appears only at the end")
	}
	b.looks("live")
	b.says("The run is over")
	o := p.end()
	b.agree(o)
	last := js[string](b, `document.querySelector("main").innerText`)
	b.looks("live-end")
	b.do(chromedp.Navigate("file://" + file))
	b.agree(o)
	if report := js[string](b, `document.querySelector("main").innerText`); report != last {
		t.Errorf("the last page says\n%s\nand the report\n%s", last, report)
	}
	b.clean()
}

// When the run is killed the page says so, and when it is there again it goes on.
func TestLiveKilled(t *testing.T) {
	b := open(t)
	p := slowly(t, 5*time.Millisecond)
	b.do(chromedp.Navigate(p.url))
	b.says("The run goes on")
	b.clean() // later it complains, as it should, that nobody is there
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	b.says("The connection is lost")
	b.looks("live-lost")
	at, err := url.Parse(p.url)
	if err != nil {
		t.Fatal(err)
	}
	again := slowly(t, 5*time.Millisecond, "--live", at.Host)
	if again.url != p.url {
		t.Fatalf("%s, and then %s", p.url, again.url)
	}
	b.says("The run goes on")
	b.until(curve + " > 0")
}

// Without scripts the live page shows what was known when it was loaded, and loads itself anew.
func TestLiveWithoutScripts(t *testing.T) {
	b := open(t)
	p := slowly(t, 8*time.Millisecond)
	b.scripts(false)
	b.do(chromedp.Navigate(p.url))
	first := b.queries()
	b.until(fmt.Sprintf(`parseInt([...document.querySelectorAll(".facts > div")].find(d => d.textContent.startsWith("Queries"))?.querySelector("dd").textContent.replaceAll(",", "") ?? "0") > %d`, first))
	if js[bool](b, `"events" in document.body.dataset`) {
		t.Error("the script has run")
	}
	b.clean()
}

// With a token the page asks for it, and it does not stay in the address.
func TestToken(t *testing.T) {
	b := open(t)
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := slowly(t, 5*time.Millisecond, "--token-file", file)
	b.do(chromedp.Navigate(p.url))
	if text := js[string](b, `document.body.innerText`); !strings.Contains(text, "token") || strings.Contains(text, "Queries") {
		t.Errorf("without a token: %s", text)
	}
	b.mu.Lock()
	b.errors = nil // the browser notes that it was refused
	b.mu.Unlock()
	b.do(chromedp.SendKeys(`input`, "0123456789abcdef"), chromedp.Click(`button`))
	b.says("The run goes on:")
	if at := js[string](b, `location.href + document.cookie + document.documentElement.outerHTML`); strings.Contains(at, "0123456789abcdef") {
		t.Error("the token can be seen")
	}
	b.clean()
}
