//! The errors of this crate.

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum Error {
    /// An ARFF file is damaged, or has what is not supported.
    #[error("line {0}: {1}")]
    Arff(usize, String),
    /// The class is no attribute of the table.
    #[error("there is no attribute {class}: the table has {attributes}")]
    NoSuchClass {
        /// The index of the class.
        class: usize,
        /// The number of attributes.
        attributes: usize,
    },
    /// The class is numeric.
    #[error("the class {0} is a number: it must be nominal, with at least one value")]
    NumericClass(String),
    /// No row has a class.
    #[error("no row has a class: there is nothing to train on")]
    NoRows,
    /// A setting is out of its range.
    #[error("{0} must be {1}")]
    Setting(&'static str, &'static str),
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
    #[error("the tree has the attribute {0}, which elements of pages do not have")]
    UnknownAttribute(String),
    /// The digests of the training pages of a saved tree are damaged.
    #[error("the digests in {0} are damaged: delete that line, or train the tree again")]
    DamagedPages(&'static str),
}
