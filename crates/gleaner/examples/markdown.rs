//! Writes pages as Markdown files beside them.
//!
//!     cargo run --release -p gleaner --example markdown -- PAGE.html...

use std::error::Error;
use std::path::PathBuf;

use gleaner::{Cleaner, Format, Links, MarkdownOptions, Origin};

fn main() -> Result<(), Box<dyn Error>> {
    let mut cleaner = Cleaner::default();
    let markdown = Format::Markdown(MarkdownOptions::default().links(Links::Inline));
    for file in std::env::args_os().skip(1).map(PathBuf::from) {
        let html = std::fs::read(&file)?;
        let text = cleaner.extract(&html, &Origin::default(), markdown.with_metadata(true))?;
        std::fs::write(file.with_extension("md"), text)?;
    }
    Ok(())
}
