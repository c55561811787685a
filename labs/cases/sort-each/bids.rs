// SPDX-License-Identifier: MIT
// bids - an auction: take a bid, tell the best one
//
//     bids order|best SECONDS
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
struct Bid {
    price: u64,
    bidder: u32,
}

struct Auction {
    bids: Vec<Bid>,
    orders: bool,
    best: Bid,
}

impl Auction {
    #[inline(never)]
    fn take(&mut self, bid: Bid) -> u32 {
        self.bids.push(bid);
        if self.orders {
            self.bids.sort_by(|a, b| b.price.cmp(&a.price).then(a.bidder.cmp(&b.bidder)));
            return self.bids[0].bidder;
        }
        if bid.price > self.best.price {
            self.best = bid;
        }
        self.best.bidder
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let orders = arguments[1] == "order";
    let seconds: f64 = arguments[2].parse().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let (mut sum, mut count) = (0u64, 0u64);
    let mut x = 88172645463325252u64;
    while Instant::now() < end {
        let mut auction = Auction { bids: Vec::new(), orders, best: Bid { price: 0, bidder: 0 } };
        for i in 0..3000u32 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            sum += auction.take(Bid { price: x % 100000, bidder: i }) as u64;
            count += 1;
        }
    }
    println!("bids {} {}", count, sum & 1);
}
