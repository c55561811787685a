// SPDX-License-Identifier: MIT
// desk - a pile of letters: new ones come on top, the top one is answered
//
//     desk front|back SECONDS
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
struct Letter {
    number: u64,
    pages: [u32; 6],
}

struct Pile {
    letters: Vec<Letter>,
    front: bool,
}

impl Pile {
    #[inline(never)]
    fn put(&mut self, letter: Letter) {
        if self.front {
            self.letters.insert(0, letter);
        } else {
            self.letters.push(letter);
        }
    }

    #[inline(never)]
    fn top(&mut self) -> Letter {
        if self.front {
            self.letters.remove(0)
        } else {
            self.letters.pop().unwrap()
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let seconds: f64 = arguments[2].parse().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut pile = Pile { letters: Vec::new(), front: arguments[1] == "front" };
    for number in 0..20000u64 {
        pile.letters.push(Letter { number, pages: [number as u32; 6] });
    }
    let (mut sum, mut count) = (0u64, 20000u64);
    while Instant::now() < end {
        pile.put(Letter { number: count, pages: [1; 6] });
        let letter = pile.top();
        sum += letter.number + letter.pages[3] as u64;
        count += 1;
    }
    println!("letters {} {}", count, sum & 1);
}
