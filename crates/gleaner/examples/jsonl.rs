//! Prints a line of JSON for each page; pages are cleaned on all cores.
//!
//!     cargo run --release -p gleaner --features serde --example jsonl -- PAGE.html...
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program, not a library"
)]

use std::sync::Mutex;

use gleaner::{Cleaner, Origin};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let files = Mutex::new(files.into_iter());
    let cleaner = Cleaner::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            // A clone shares the models, and has memory of its own.
            let mut cleaner = cleaner.clone();
            let next = || files.lock().ok()?.next();
            scope.spawn(move || {
                while let Some(file) = next() {
                    match line(&mut cleaner, &file) {
                        Ok(line) => println!("{line}"),
                        Err(error) => eprintln!("{file}: {error}"),
                    }
                }
            });
        }
    });
}

fn line(cleaner: &mut Cleaner, file: &str) -> Result<String, Box<dyn std::error::Error>> {
    let html = std::fs::read(file)?;
    let document = cleaner.clean(&html, &Origin::default())?;
    Ok(serde_json::to_string(&document)?)
}
