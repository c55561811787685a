// SPDX-License-Identifier: MIT

// router - find the handler of a path
//
//	router request|start SECONDS
package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

var routes = []string{`^/users/([0-9]+)/orders/([0-9]+)$`, `^/products/([a-z-]+)$`, `^/static/(.*)\.(css|js|png)$`}
var prepared []*regexp.Regexp

//go:noinline
func route(path string, keeps bool) int {
	for i, text := range routes {
		var r *regexp.Regexp
		if keeps {
			r = prepared[i]
		} else {
			r = regexp.MustCompile(text)
		}
		if r.MatchString(path) {
			return i
		}
	}
	return -1
}

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	for _, text := range routes {
		prepared = append(prepared, regexp.MustCompile(text))
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	count, sum := 0, 0
	for time.Now().Before(end) {
		sum += route("/static/site.css", os.Args[1] == "start")
		count++
	}
	fmt.Println("routed", count, sum)
}
