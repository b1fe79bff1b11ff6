// Package browser opens pages in a headless Chromium, for tests of what the program
// writes for browsers: what is drawn, what happens on keys and clicks, and what a
// person would see.
//
//	p := browser.Open(t, "report.html", 1280, 800)
//	p.Eval(`document.querySelectorAll("tr").length`, &rows)
//	assert.Empty(t, p.Errors())
//
// It speaks the Chrome DevTools Protocol over a pair of pipes and needs nothing but the
// browser: the binary named by $CHROMIUM, or one of the usual names on the path. Where
// there is none, the test is skipped.
//
// It is not for browsing: pages are local files. A test has a browser of its own, which
// ends with the test; a Page belongs to the test's goroutine. Failures of the browser
// end the test.
package browser
