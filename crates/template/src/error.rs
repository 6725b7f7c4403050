//! What can be wrong with settings and with expressions, in sentences that say the mend.

/// Why templates cannot be mined or applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The expression of a token is not of the form that has an inverse.
    #[error(
        "the token expression '{expression}' cannot be inverted: write one class of characters with a plus, such as \\S+ or [^\\-\\s]+"
    )]
    Token {
        /// What was given.
        expression: String,
    },
    /// A mutable pattern is no regular expression.
    #[error("the mutable pattern '{pattern}' is no regular expression: {detail}")]
    Pattern {
        /// What was given.
        pattern: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A mutable pattern does not describe a whole token.
    #[error(
        "the mutable pattern '{pattern}' {problem}: a pattern stands for whole tokens, such as [0-9]+ for numbers"
    )]
    NoToken {
        /// What was given.
        pattern: String,
        /// In what it fails.
        problem: &'static str,
    },
    /// More patterns than there are bits.
    #[error("{count} mutable patterns are too many, {most} can be used: join some of them as (one|other)")]
    ManyPatterns {
        /// How many were given.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// An expression that is none.
    #[error("'{expression}' is no regular expression: {detail}")]
    Expression {
        /// The beginning of the expression.
        expression: String,
        /// What is wrong with it.
        detail: String,
    },
}
