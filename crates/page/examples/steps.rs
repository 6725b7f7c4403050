//! Steps of work that pages take, beside their bytes: what the limit of steps is chosen by.
//!
//!     cargo run --release -p gleaner-page --example steps -- MILLIONS FILE...
//!
//! MILLIONS is the maximum of steps per page, in millions. One line per file: steps, steps a kilobyte, seconds, limits that were met, name.

#![expect(clippy::print_stdout, reason = "an example's output")]

use std::time::Instant;

use gleaner_page::{Limits, PageConfig, Parser};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let millions: u64 = arguments.next().ok_or("how many million steps?")?.parse()?;
    let limits = Limits {
        steps: millions.saturating_mul(1_000_000),
        ..Limits::default()
    };
    let mut parser = Parser::new(PageConfig {
        limits,
        ..PageConfig::default()
    });
    for name in arguments {
        let bytes = std::fs::read(&name)?;
        let begin = Instant::now();
        let page = parser.parse(&bytes, None)?;
        let seconds = begin.elapsed().as_secs_f64();
        let a_kilobyte = page.steps * 1024 / (bytes.len().max(1) as u64);
        let limits: Vec<&str> = page.truncated.names().collect();
        println!(
            "{}\t{a_kilobyte}\t{seconds:.3}\t{}\t{name}",
            page.steps,
            limits.join(",")
        );
    }
    Ok(())
}
