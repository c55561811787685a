// SPDX-License-Identifier: MIT

// orders - totals of orders that come in, with a heap of some size
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type order struct {
	lines []int
	text  string
}

//go:noinline
func newOrder(n int) *order {
	return &order{lines: make([]int, 20), text: strconv.Itoa(n)}
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	kept := make([]*order, 100000)
	n, sum := 0, 0
	for ; time.Now().Before(end); n++ {
		o := newOrder(n)
		for i := 0; i < 4000; i++ {
			o.lines[i%20] += i * n
		}
		kept[n%len(kept)] = o
		sum += o.lines[7]
	}
	fmt.Println("orders", n, sum&1)
}
