//! Writes the schemas of all tables into the folder `schemas/` of the repository:
//! `cargo run -p gleaner-corpus --example schemas`. A test holds the folder to what this writes.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas"));
    std::fs::create_dir_all(folder)?;
    for (table, schema) in gleaner_corpus::schemas() {
        std::fs::write(folder.join(format!("{table}.parquet-schema")), schema)?;
    }
    Ok(())
}
