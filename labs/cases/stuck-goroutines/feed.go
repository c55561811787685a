// SPDX-License-Identifier: MIT

// feed - ask three sources, take the first answer
//
//	feed plain|room
package main

import (
	"os"
	"time"
)

//go:noinline
func source(n int, answers chan<- int) {
	time.Sleep(time.Duration(n) * time.Millisecond)
	answers <- n
}

//go:noinline
func firstAnswer(room int) int {
	answers := make(chan int, room)
	for i := 1; i <= 3; i++ {
		go source(i, answers)
	}
	return <-answers
}

func main() {
	room := 0
	if len(os.Args) == 2 && os.Args[1] == "room" {
		room = 3
	}
	for {
		firstAnswer(room)
	}
}
