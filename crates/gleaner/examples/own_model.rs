//! Prints the blocks of a page with the labels of a model of one's own.
//!
//!     cargo run --release -p gleaner --example own_model -- MODEL.gcrf PAGE.html
#![expect(clippy::print_stdout, reason = "a program, not a library")]

use std::error::Error;

use gleaner::{Cleaner, Favor, Model, Origin};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, page] = arguments.as_slice() else {
        return Err("usage: own_model MODEL.gcrf PAGE.html".into());
    };
    let model = Model::from_path(model)?;
    let mut cleaner = Cleaner::builder().model(model).favor(Favor::Precision).build()?;
    let document = cleaner.clean(&std::fs::read(page)?, &Origin::default())?;
    for block in document.blocks() {
        println!(
            "{:12} {:.2}  {}",
            block.label.name(),
            block.confidence,
            block.text
        );
    }
    Ok(())
}
