// SPDX-License-Identifier: MIT
// feeds - hand an article to each subscriber
//
//     feeds own|shared SECONDS
use std::rc::Rc;
use std::time::{Duration, Instant};

#[derive(Clone)]
struct Article {
    title: String,
    paragraphs: Vec<String>,
}

enum Handed {
    Own(Article),
    Shared(Rc<Article>),
}

#[inline(never)]
fn hand_out(article: &Rc<Article>, shares: bool) -> Handed {
    if shares {
        Handed::Shared(article.clone())
    } else {
        Handed::Own(article.as_ref().clone())
    }
}

#[inline(never)]
fn read(handed: &Handed) -> usize {
    let article = match handed {
        Handed::Own(a) => a,
        Handed::Shared(a) => a,
    };
    article.title.len() + article.paragraphs[0].len()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let shares = arguments[1] == "shared";
    let seconds: f64 = arguments[2].parse().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let article = Rc::new(Article {
        title: "Harvest".to_string(),
        paragraphs: (0..60).map(|i| format!("{} {}", i, "word ".repeat(20))).collect(),
    });
    let (mut size, mut count) = (0usize, 0u64);
    while Instant::now() < end {
        for _ in 0..100 {
            size += read(&hand_out(&article, shares));
            count += 1;
        }
    }
    println!("handed {} {}", count, size & 1);
}
