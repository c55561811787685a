// SPDX-License-Identifier: MIT

// index - words of documents that come in
//
//	GOGC=5 index SECONDS
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type entry struct {
	word string
	docs []*int
}

//go:noinline
func addDocument(index map[string]*entry, n int) {
	id := new(int)
	*id = n
	for i := 0; i < 20; i++ {
		word := "w" + strconv.Itoa((n*31+i*17)%60000)
		e := index[word]
		if e == nil {
			e = &entry{word: word}
			index[word] = e
		}
		if len(e.docs) >= 20 {
			e.docs = append([]*int(nil), e.docs[10:]...)
		}
		e.docs = append(e.docs, id)
	}
}

func main() {
	if len(os.Args) != 2 {
		os.Exit(2)
	}
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	index := make(map[string]*entry)
	n := 0
	for ; time.Now().Before(end); n++ {
		addDocument(index, n)
	}
	fmt.Println("documents", n)
}
