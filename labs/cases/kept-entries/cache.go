// SPDX-License-Identifier: MIT

// cache - answers of a service by question; the answers of the last hour are kept
//
//	cache all|some SECONDS FILE
//
// The heap's profile is in FILE at the end.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"
)

type answer struct {
	text []byte
}

type table struct {
	answers map[string]*answer
	order   []string
}

//go:noinline
func compute(question string) *answer {
	return &answer{text: append(make([]byte, 0, 3000), question...)}
}

//go:noinline
func (t *table) ask(question string, limit int) *answer {
	if a, ok := t.answers[question]; ok {
		return a
	}
	a := compute(question)
	t.answers[question] = a
	t.order = append(t.order, question)
	if len(t.order) > limit {
		delete(t.answers, t.order[0])
		t.order = t.order[1:]
	}
	return a
}

func main() {
	if len(os.Args) != 4 {
		os.Exit(2)
	}
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	limit := 500
	if os.Args[1] == "all" {
		limit = 1 << 30
	}
	t := &table{answers: make(map[string]*answer)}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	n := 0
	for ; time.Now().Before(end) && n < 200000; n++ {
		t.ask(fmt.Sprintf("question %d", n), limit)
	}
	runtime.GC()
	f, err := os.Create(os.Args[3])
	if err != nil {
		os.Exit(1)
	}
	pprof.WriteHeapProfile(f)
	f.Close()
	fmt.Println("asked", n, len(t.answers))
}
