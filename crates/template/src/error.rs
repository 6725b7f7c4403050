//! Errors of settings and of expressions, in sentences that name the remedy.

/// Why templates cannot be mined or applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The expression of a token has no inverse.
    #[error(
        "the token expression '{0}' cannot be inverted: write one class of characters with a plus, such as \\S+ or [^\\-\\s]+"
    )]
    Token(String),
    /// A mutable pattern is no valid regular expression.
    #[error("the mutable pattern '{0}' is no regular expression: {1}")]
    Pattern(String, String),
    /// A mutable pattern does not describe a whole token.
    #[error("the mutable pattern '{0}' {1}: a pattern stands for whole tokens, such as [0-9]+ for numbers")]
    NoToken(String, &'static str),
    /// More patterns than a set has bits.
    #[error("{count} mutable patterns are too many, {most} can be used: join some of them as (one|other)")]
    ManyPatterns {
        /// Number of given patterns.
        count: usize,
        /// The largest number.
        most: usize,
    },
    /// An expression is no valid regular expression.
    #[error("'{0}' is no regular expression: {1}")]
    Expression(String, String),
}
