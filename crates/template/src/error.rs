//! Errors of settings and of expressions, in sentences that name the remedy.

/// Why templates cannot be mined or applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The expression of a token has no inverse.
    #[error(
        "the token expression '{expression}' cannot be inverted: write one class of characters with a plus, such as \\S+ or [^\\-\\s]+"
    )]
    Token {
        /// The given expression.
        expression: String,
    },
    /// A mutable pattern is no valid regular expression.
    #[error("the mutable pattern '{pattern}' is no regular expression: {detail}")]
    Pattern {
        /// The given expression.
        pattern: String,
        /// The fault.
        detail: String,
    },
    /// A mutable pattern does not describe a whole token.
    #[error(
        "the mutable pattern '{pattern}' {problem}: a pattern stands for whole tokens, such as [0-9]+ for numbers"
    )]
    NoToken {
        /// The given expression.
        pattern: String,
        /// The fault.
        problem: &'static str,
    },
    /// More patterns than a set has bits.
    #[error("{count} mutable patterns are too many, {most} can be used: join some of them as (one|other)")]
    ManyPatterns {
        /// Number of given patterns.
        count: usize,
        /// The largest number.
        most: usize,
    },
    /// An expression is no valid regular expression.
    #[error("'{expression}' is no regular expression: {detail}")]
    Expression {
        /// The beginning of the expression.
        expression: String,
        /// The fault.
        detail: String,
    },
}
