// SPDX-License-Identifier: MIT

// inbox - hand out the oldest message of a mailbox, which is a folder of files
//
//	inbox folder|index SECONDS
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"time"
)

type mailbox struct {
	folder string
	known  []string
}

//go:noinline
func (m *mailbox) waiting() []string {
	entries, err := os.ReadDir(m.folder)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sort.Strings(names)
	return names
}

//go:noinline
func (m *mailbox) oldest(keeps bool) string {
	if !keeps {
		return m.waiting()[0]
	}
	if len(m.known) == 0 {
		m.known = m.waiting()
	}
	first := m.known[0]
	m.known = append(m.known[1:], first)
	return first
}

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	m := &mailbox{folder: "mail-" + os.Args[1]}
	os.MkdirAll(m.folder, 0o700)
	for i := 0; i < 6000; i++ {
		os.WriteFile(filepath.Join(m.folder, fmt.Sprintf("%08d.eml", i*7919%6000)), []byte("hello\n"), 0o600)
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	handed, size := 0, 0
	for time.Now().Before(end) {
		data, err := os.ReadFile(filepath.Join(m.folder, m.oldest(os.Args[1] == "index")))
		if err != nil {
			os.Exit(1)
		}
		size += len(data)
		handed++
	}
	fmt.Println("handed", handed, size)
}
