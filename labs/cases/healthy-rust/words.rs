// SPDX-License-Identifier: MIT
// words - how often each word is in a text
//
//     words SECONDS
use std::collections::HashMap;
use std::time::{Duration, Instant};

fn count(text: &str) -> HashMap<&str, usize> {
    let mut words = HashMap::new();
    for word in text.split(' ') {
        *words.entry(word).or_insert(0) += 1;
    }
    words
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let text: Vec<String> = (0..20000u64).map(|i| format!("w{}", i * i % 997)).collect();
    let text = text.join(" ");
    let mut sum = 0;
    while Instant::now() < end {
        sum += count(&text).len();
    }
    println!("words {}", sum);
}
