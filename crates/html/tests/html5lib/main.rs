//! The cases of html5lib (<https://github.com/html5lib/html5lib-tests>), for both tree builders. They are not part of this
//! repository: see CONTRIBUTING.

mod cases;
mod encoding;
mod kept;
mod tokenizer;
mod tree;

use std::path::PathBuf;

use gleaner_html::{HtmlParser, TreeBuilder, TreeLimits};

/// Both tree builders.
const BUILDERS: [TreeBuilder; 2] = [TreeBuilder::Gleaner, TreeBuilder::Html5ever];

/// A folder of the cases.
fn folder(name: &str) -> PathBuf {
    gleaner_testing::data("html5lib").join(name)
}

/// Files of a folder with this ending, in the order of their names.
fn files(folder: &std::path::Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it is a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    paths
}

/// The name of a file without its folder.
fn file_name(path: &std::path::Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn parser(builder: TreeBuilder) -> HtmlParser {
    HtmlParser::new(TreeLimits::default()).with(builder)
}
