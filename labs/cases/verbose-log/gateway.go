// SPDX-License-Identifier: MIT

// gateway - pass requests on, and write a line about each step
//
//	gateway file|plain SECONDS
//
// 'file': the line says in which file and line of the source it was written.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"
)

type request struct {
	id   int
	body [256]byte
}

//go:noinline
func (r *request) check() (sum int) {
	for i, b := range r.body {
		sum += int(b) * i
	}
	return sum
}

//go:noinline
func pass(l *log.Logger, r *request) int {
	l.Printf("request %d: received", r.id)
	sum := r.check()
	l.Printf("request %d: checked", r.id)
	l.Printf("request %d: passed on", r.id)
	return sum
}

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	null, _ := os.OpenFile("/dev/null", os.O_WRONLY, 0)
	out := bufio.NewWriterSize(null, 1<<16)
	flags := log.LstdFlags
	if os.Args[1] == "file" {
		flags |= log.Lshortfile | log.Lmicroseconds
	}
	l := log.New(out, "", flags)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	count, sum := 0, 0
	r := &request{}
	for time.Now().Before(end) {
		r.id = count
		if os.Args[1] == "file" || count%1000 == 0 {
			sum += pass(l, r)
		} else {
			sum += r.check()
		}
		count++
	}
	fmt.Println("passed", count, sum)
}
