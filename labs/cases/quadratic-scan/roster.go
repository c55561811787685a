// SPDX-License-Identifier: MIT

// roster - players join a lobby under a name that nobody else has
//
//	roster list|map SECONDS
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type player struct {
	name  string
	score int
}

type lobby struct {
	players []player
	byName  map[string]int
}

//go:noinline
func (l *lobby) holder(name string) int {
	if l.byName != nil {
		if i, ok := l.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range l.players {
		if l.players[i].name == name {
			return i
		}
	}
	return -1
}

func (l *lobby) join(name string) bool {
	if l.holder(name) >= 0 {
		return false
	}
	l.players = append(l.players, player{name: name})
	if l.byName != nil {
		l.byName[name] = len(l.players) - 1
	}
	return true
}

func main() {
	if len(os.Args) != 3 {
		os.Exit(2)
	}
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	if err != nil {
		os.Exit(2)
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	joined := 0
	for time.Now().Before(end) {
		l := &lobby{}
		if os.Args[1] == "map" {
			l.byName = make(map[string]int)
		}
		for i := 0; i < 20000 && time.Now().Before(end); i++ {
			if l.join(fmt.Sprintf("player-%07d", i)) {
				joined++
			}
		}
	}
	fmt.Println("joined", joined)
}
