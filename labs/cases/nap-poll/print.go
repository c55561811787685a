// SPDX-License-Identifier: MIT

// print - a queue of pages for a printer; a client sends a page when the last one is done
//
//	print nap|channel SECONDS
//
// TRACE=FILE writes an execution trace.
package main

import (
	"fmt"
	"os"
	"runtime/trace"
	"strconv"
	"sync/atomic"
	"time"
)

type page struct {
	text []byte
	done int32
	told chan struct{}
}

var pages = make(chan *page, 16)

//go:noinline
func printPages() {
	for p := range pages {
		sum := byte(0)
		for _, b := range p.text {
			sum += b
		}
		p.text[0] = sum
		atomic.StoreInt32(&p.done, 1)
		close(p.told)
	}
}

//go:noinline
func waitForPage(p *page, naps bool) {
	if !naps {
		<-p.told
		return
	}
	for atomic.LoadInt32(&p.done) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	if path := os.Getenv("TRACE"); path != "" {
		file, err := os.Create(path)
		if err != nil || trace.Start(file) != nil {
			os.Exit(1)
		}
		defer trace.Stop()
	}
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	go printPages()
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	n := 0
	for ; time.Now().Before(end); n++ {
		p := &page{text: make([]byte, 50000), told: make(chan struct{})}
		pages <- p
		waitForPage(p, os.Args[1] == "nap")
	}
	fmt.Println("pages", n)
}
