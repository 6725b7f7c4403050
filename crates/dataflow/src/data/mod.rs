//! What flows through a build: captures, pages, entries of tables, and their keys.

pub(crate) mod archive_read;
pub(crate) mod characters;
pub(crate) mod contamination_row;
pub(crate) mod drawn;
pub(crate) mod empty_archives;
pub(crate) mod input_line;
pub(crate) mod key;
pub(crate) mod message;
pub(crate) mod notes;
pub(crate) mod packing;
pub(crate) mod page_tables;
pub(crate) mod range_digest;
pub(crate) mod reject;
pub(crate) mod rights_row;
pub(crate) mod signal_row;
pub(crate) mod signed;
pub(crate) mod site_file;
pub(crate) mod sites;
pub(crate) mod staged_page;
pub(crate) mod summary;
pub(crate) mod template_rows;
pub(crate) mod unit_lines;
