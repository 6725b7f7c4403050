//! The errors of this crate.

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum Error {
    /// An ARFF file is damaged, or has what is not supported.
    #[error("line {line}: {what}")]
    Arff {
        /// Its number, from 1.
        line: usize,
        /// The fault.
        what: String,
    },
    /// The class is no attribute of the table.
    #[error("there is no attribute {class}: the table has {attributes}")]
    NoSuchClass {
        /// The index of the class.
        class: usize,
        /// The number of attributes.
        attributes: usize,
    },
    /// The class is numeric.
    #[error("the class {name} is a number: it must be nominal, with at least one value")]
    NumericClass {
        /// The attribute.
        name: String,
    },
    /// No row has a class.
    #[error("no row has a class: there is nothing to train on")]
    NoRows,
    /// A setting is out of its range.
    #[error("{setting} must be {range}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// The allowed values.
        range: &'static str,
    },
    /// A saved tree is not TOML, or not of this form.
    #[error("this is not a saved tree: {0}")]
    NotSaved(String),
    /// A saved tree is inconsistent.
    #[error("the saved tree is damaged: {0}")]
    Unsound(String),
    /// A saved tree has another class than elements have.
    #[error("the tree predicts {found}, not {expected} with a value {value}")]
    OtherClass {
        /// Its class attribute.
        found: String,
        /// The class of elements.
        expected: &'static str,
        /// A value that it needs.
        value: &'static str,
    },
    /// A saved tree has an attribute that elements do not have.
    #[error("the tree has the attribute {name}, which elements of pages do not have")]
    UnknownAttribute {
        /// The attribute.
        name: String,
    },
    /// The digests of the training pages of a saved tree are damaged.
    #[error("the digests in {note} are damaged: delete that line, or train the tree again")]
    DamagedPages {
        /// The note that holds them.
        note: &'static str,
    },
}
