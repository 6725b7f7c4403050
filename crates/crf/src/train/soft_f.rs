//! The F measure of a page as a function of probabilities.

/// A block: its words, whether it is content in the gold, and the probability that it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision {
    pub(super) words: f64,
    pub(super) is_content: bool,
    pub(super) probability: f64,
}

/// `2 * words right / (words kept + words of content)`, each word counting by the probability that
/// it is kept (Jansche 2005, equation 7). Writes its slope along each probability. A page that has no
/// content and keeps none has 1.
pub(super) fn soft_f(decisions: &[Decision], slopes: &mut Vec<f64>) -> f64 {
    let sum = |of: &dyn Fn(&Decision) -> f64| decisions.iter().map(of).sum::<f64>();
    let gold = sum(&|block| if block.is_content { block.words } else { 0.0 });
    let kept = sum(&|block| block.words * block.probability);
    let right = sum(&|block| {
        if block.is_content {
            block.words * block.probability
        } else {
            0.0
        }
    });
    slopes.clear();
    let all = gold + kept;
    if all <= 0.0 {
        slopes.resize(decisions.len(), 0.0);
        return 1.0;
    }
    let measure = 2.0 * right / all;
    slopes.extend(decisions.iter().map(|block| {
        let gain = if block.is_content { 2.0 } else { 0.0 };
        block.words * (gain - measure) / all
    }));
    measure
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decisions(probabilities: [f64; 4]) -> Vec<Decision> {
        let words = [10.0, 3.0, 0.0, 25.0];
        let content = [true, false, true, true];
        (0..4)
            .map(|block| Decision {
                words: words[block],
                is_content: content[block],
                probability: probabilities[block],
            })
            .collect()
    }

    #[test]
    fn certain_decisions_have_the_measure_of_their_words() {
        // Of 35 words 25 are kept, with 3 others: P 25/28, R 25/35.
        let (precision, recall) = (25.0 / 28.0, 25.0 / 35.0);
        let expected = 2.0 * precision * recall / (precision + recall);
        let found = soft_f(&decisions([0.0, 1.0, 1.0, 1.0]), &mut Vec::new());
        assert!((found - expected).abs() < 1e-12);
        assert_eq!(soft_f(&decisions([1.0, 0.0, 0.0, 1.0]), &mut Vec::new()), 1.0);
        assert_eq!(soft_f(&[], &mut Vec::new()), 1.0);
    }

    #[test]
    fn slopes_are_those_of_differences() {
        let at = [0.3, 0.6, 0.5, 0.9];
        let mut slopes = Vec::new();
        soft_f(&decisions(at), &mut slopes);
        for block in 0..4 {
            let value = |step: f64| {
                let mut there = at;
                there[block] += step;
                soft_f(&decisions(there), &mut Vec::new())
            };
            let slope = (value(1e-6) - value(-1e-6)) / 2e-6;
            assert!(
                (slope - slopes[block]).abs() < 1e-6,
                "{block}: {slope} {slopes:?}"
            );
        }
    }
}
