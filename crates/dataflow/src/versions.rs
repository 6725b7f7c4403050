//! The versions of what a build computes. A change of the program by which a build of the same input writes other files raises one of
//! them: what one version began or made, another does not continue. A test builds the bundled crawl, and compares the names of
//! its files with a list; who changes a name raises a number.

use gleaner_corpus::FORMAT;

/// What each number counts, and the number.
pub const VERSIONS: [(&str, u32); 4] = [
    // What reading, parsing, scoring and notes give: all that a page waits with.
    ("READ", 3),
    // What labels, texts and evidence follow from that, and how.
    ("LABEL", 1),
    // Columns and their encoding, with the libraries that encode them, and row groups.
    ("TABLE", FORMAT),
    // Signatures of documents, clusters and lines.
    ("SIGN", 1),
];
