//! How uncertain a model is of a block and of a page: what the user should look at first.

/// The uncertainty of a block: the entropy of its label, in units of the largest there can be, so
/// that 0 is certain and 1 is no idea (uncertainty sampling; Settles 2009, section 3.1).
///
/// ```
/// use gleaner_annotate::uncertainty;
///
/// assert_eq!(uncertainty(&[0.0, 1.0]), 0.0);
/// assert_eq!(uncertainty(&[0.25; 4]), 1.0);
/// ```
pub fn uncertainty(probabilities: &[f64]) -> f32 {
    let term = |&p: &f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    let entropy: f64 = probabilities.iter().map(term).sum();
    let most = (probabilities.len().max(2) as f64).ln();
    (entropy / most).clamp(0.0, 1.0) as f32
}

/// The uncertainty of a page: the mean of its blocks', each weighted by its words, so that a
/// hundred doubtful menu entries do not outweigh a doubtful article. A block counts as a word at
/// least. A page without blocks is certain.
pub fn page_uncertainty(blocks: impl IntoIterator<Item = (f32, u32)>) -> f32 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (uncertainty, words) in blocks {
        let words = f64::from(words.max(1));
        sum += f64::from(uncertainty) * words;
        weight += words;
    }
    if weight == 0.0 { 0.0 } else { (sum / weight) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_weigh() {
        assert_eq!(page_uncertainty([(1.0, 1), (0.0, 3)]), 0.25);
        assert_eq!(page_uncertainty([(1.0, 0), (0.0, 1)]), 0.5);
        assert_eq!(page_uncertainty([]), 0.0);
    }

    #[test]
    fn rounding_does_not_leave_the_scale() {
        assert_eq!(uncertainty(&[0.2; 5]), 1.0);
        assert!(uncertainty(&[0.5, 0.5, 0.0, 0.0, 0.0]) < 0.5);
        assert_eq!(uncertainty(&[]), 0.0);
    }
}
