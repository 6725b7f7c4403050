//! The printed schemas in the repository.

use std::path::Path;

#[test]
fn the_folder_schemas_is_up_to_date() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas"));
    for (table, schema) in gleaner_corpus::schemas() {
        let file = folder.join(format!("{table}.parquet-schema"));
        let printed = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            printed, schema,
            "schemas/{table}.parquet-schema differs from the code: if the change is meant, run `cargo run -p gleaner-corpus --example schemas`"
        );
    }
}
