//! What the repository says of the tables.

use std::path::Path;

use gleaner_corpus::enumerations::PAGE_KINDS;

const MEND: &str = "if the change is meant, run `cargo run -p gleaner-corpus --example schemas`";

/// A file of the repository.
fn file(name: &str) -> String {
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    std::fs::read_to_string(repository.join(name)).unwrap_or_default()
}

#[test]
fn the_folder_schemas_is_up_to_date() {
    for (name, schema) in gleaner_corpus::schemas() {
        let name = format!("schemas/{name}");
        assert_eq!(file(&name), schema, "{name} differs from the code: {MEND}");
    }
}

#[test]
fn the_page_of_tables_is_up_to_date() {
    assert_eq!(
        file("docs/tables.md"),
        gleaner_corpus::tables_page(),
        "docs/tables.md differs from the code: {MEND}"
    );
}

#[test]
fn kinds_of_pages_are_those_of_the_table() {
    let table = file("crates/document/models/kinds.tsv");
    let heads = table.lines().next().unwrap().split('\t').skip(1);
    let heads: Vec<&str> = heads.chain(["other"]).collect();
    let described: Vec<&str> = PAGE_KINDS.iter().map(|kind| kind.name).collect();
    assert_eq!(heads, described);
}
