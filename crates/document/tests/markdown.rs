//! Markdown: what pages become, and that a parser of CommonMark gives their text back.

#[path = "markdown/back.rs"]
mod back;
#[path = "markdown/cases.rs"]
mod cases;
#[path = "markdown/data.rs"]
mod data;
#[path = "markdown/labels.rs"]
mod labels;
#[path = "markdown/random.rs"]
mod random;
