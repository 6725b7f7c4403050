//! Prints the text of a page, and what the page states about itself.
//!
//!     cargo run --release -p gleaner --example clean -- PAGE.html [URL]
#![expect(clippy::print_stdout, reason = "a program, not a library")]

use std::error::Error;

use gleaner::{Cleaner, Origin};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: clean PAGE.html [URL]")?;
    let url = arguments.next().unwrap_or_default();
    let html = std::fs::read(&file).map_err(|error| format!("could not read {file}: {error}"))?;
    let document = Cleaner::default().clean(&html, &Origin::url(&url))?;
    let metadata = document.metadata();
    println!("title:     {}", metadata.title.unwrap_or("-"));
    println!("authors:   {}", metadata.authors.join(", "));
    if let Some(day) = metadata.published {
        println!("published: {day}");
    }
    if let Some(kind) = document.kind() {
        println!("kind:      {} ({:.2})", kind.name, kind.probability);
    }
    println!("\n{}", document.text());
    Ok(())
}
