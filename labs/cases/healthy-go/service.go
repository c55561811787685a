// SPDX-License-Identifier: MIT

// service - products as JSON over HTTP
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

type product struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Price float64  `json:"price"`
	Tags  []string `json:"tags"`
}

type shop struct {
	mutex    sync.RWMutex
	products map[int]product
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/product/"))
	if err != nil {
		http.Error(w, "no such product", http.StatusNotFound)
		return
	}
	s.mutex.RLock()
	p, ok := s.products[id]
	s.mutex.RUnlock()
	if !ok {
		http.Error(w, "no such product", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(p); err != nil {
		log.Print(err)
	}
}

func main() {
	s := &shop{products: make(map[int]product)}
	for i := 0; i < 1000; i++ {
		s.products[i] = product{i, "product " + strconv.Itoa(i), float64(i) / 4, []string{"new", "small"}}
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8081", s))
}
