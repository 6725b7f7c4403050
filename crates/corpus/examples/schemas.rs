//! Writes the descriptions of the tables: the folder `schemas/` and the page `docs/tables.md`.
//! `cargo run -p gleaner-corpus --example schemas`. A test holds both to what this writes.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let folder = repository.join("schemas");
    std::fs::create_dir_all(folder.join("export"))?;
    for (name, schema) in gleaner_corpus::schemas() {
        std::fs::write(folder.join(name), schema)?;
    }
    std::fs::write(repository.join("docs/tables.md"), gleaner_corpus::tables_page())
}
