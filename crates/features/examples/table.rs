//! Writes FEATURES.md: `cargo run -p gleaner-features --example table > crates/features/FEATURES.md`.

#![expect(clippy::print_stdout, reason = "an example's output")]

fn main() {
    println!("# Features\n");
    println!(
        "The first {} are those of the Victor thesis.\n",
        gleaner_features::FeatureConfig::victor().columns().len()
    );
    print!("{}", gleaner_features::feature_table());
}
