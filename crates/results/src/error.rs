//! The errors of this crate.

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum Error {
    /// An ARFF file is not sound.
    #[error("line {line}: {what}")]
    Arff {
        /// Counted from one.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The class is not an attribute of the table.
    #[error("there is no attribute {class}: the table has {attributes}")]
    NoSuchClass {
        /// The attribute asked for, counted from zero.
        class: usize,
        /// How many there are.
        attributes: usize,
    },
    /// The class is a number.
    #[error("the class {name} is a number; it has to be nominal, with a value or more")]
    NumericClass {
        /// The attribute.
        name: String,
    },
    /// No row has a class.
    #[error("there is no row with a class to learn from")]
    NoRows,
    /// A setting is out of its range.
    #[error("{setting} must be {range}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What it may be.
        range: &'static str,
    },
    /// A saved tree is not TOML, or not of this form.
    #[error("this is not a saved tree: {0}")]
    NotSaved(String),
    /// A saved tree contradicts itself.
    #[error("the saved tree is not sound: {0}")]
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
