// SPDX-License-Identifier: MIT
//! orders - an order book whose debug messages are off
//!
//!   orders eager|lazy SECONDS
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
struct Order {
    id: u64,
    side: Side,
    price: f64,
    quantity: u32,
    client: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Buy,
    Sell,
}

struct Log {
    level: u8,
}

impl Log {
    #[inline(never)]
    fn debug(&self, message: &str) {
        if self.level >= 7 {
            eprintln!("{}", message);
        }
    }
}

struct Book {
    best_buy: f64,
    best_sell: f64,
    matched: u64,
    log: Log,
}

impl Book {
    #[inline(never)]
    fn place(&mut self, order: &Order, eager: bool) {
        if eager {
            self.log.debug(&format!("placing {:?}, best {:.4}/{:.4}", order, self.best_buy, self.best_sell));
        } else if self.log.level >= 7 {
            eprintln!("placing {:?}", order);
        }
        match order.side {
            Side::Buy if order.price >= self.best_sell => self.matched += order.quantity as u64,
            Side::Buy => self.best_buy = self.best_buy.max(order.price),
            Side::Sell if order.price <= self.best_buy => self.matched += order.quantity as u64,
            Side::Sell => self.best_sell = self.best_sell.min(order.price),
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let eager = args[1] == "eager";
    let end = Instant::now() + Duration::from_secs_f64(args[2].parse().unwrap());
    let mut book = Book { best_buy: 99.0, best_sell: 101.0, matched: 0, log: Log { level: 6 } };
    let mut order = Order { id: 0, side: Side::Buy, price: 100.0, quantity: 1, client: "client-17".to_string() };
    while Instant::now() < end {
        for _ in 0..1000 {
            order.id += 1;
            order.side = if order.id & 1 == 0 { Side::Buy } else { Side::Sell };
            order.price = 98.0 + (order.id.wrapping_mul(2654435761) % 4000) as f64 / 1000.0;
            order.quantity = (order.id % 90) as u32;
            book.place(&order, eager);
        }
    }
    println!("matched {}", book.matched);
}
