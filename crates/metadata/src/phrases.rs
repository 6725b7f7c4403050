//! Tables of words and phrases, in text files beside the code.

/// The lines of a table, but for comments, which begin with `#`.
pub(crate) fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// The phrases of a table, in their order: spaces and lines part them, and `_` is a space within one.
pub(crate) fn phrases(table: &str) -> impl Iterator<Item = String> {
    let words = lines(table).flat_map(str::split_ascii_whitespace);
    words.map(|word| word.replace('_', " "))
}
