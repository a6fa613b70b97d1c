// Package browser tests the pages of Untwist in a real browser: headless Chromium.
//
// It is a module of its own, so that Untwist does not depend on chromedp. Run go test here. With
// SCREENSHOTS=DIR it also writes what the pages look like, to be looked at.
package browser
