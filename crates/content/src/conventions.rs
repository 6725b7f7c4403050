//! What a gold set takes for content, chosen when pages are read.
//!
//! Gold sets differ in what they keep: comments are content to one, and noise to another. So a set's pages may be kinds of
//! their own (blogs without their comments), and which convention suits a page is predicted with its kind, as a probability.
//! Who knows the convention that he wants says so: then the page is of one of that convention's kinds for certain, and
//! their probabilities are those given that it is of none of the others.
//!
//! Nothing is learned for it. Models that learned from each page a second time, by its set's convention, gained little by
//! conventions, and lost as much without one.

use std::collections::BTreeMap;

use gleaner_crf::LANES;

use crate::Error;
use crate::content::softmax;

/// Some of a model's kinds of pages, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindSet(u8);

impl KindSet {
    pub(crate) fn has(self, kind: usize) -> bool {
        self.0 >> kind & 1 == 1
    }

    /// The probabilities of kinds that have such scores, given that it is one of these; beyond them zeros.
    pub(crate) fn softmax(self, scores: &[f64]) -> [f64; LANES] {
        let mut inside = [f64::NEG_INFINITY; LANES];
        for (kind, (inside, &score)) in inside.iter_mut().zip(scores).enumerate() {
            if self.has(kind) {
                *inside = score;
            }
        }
        softmax(&inside[..scores.len()])
    }
}

/// The conventions that a model knows, by their names, and which of them pages are judged by.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conventions {
    known: BTreeMap<String, KindSet>,
    chosen: Option<KindSet>,
}

impl Conventions {
    /// Notes that a convention has pages of a kind.
    pub(crate) fn add(&mut self, name: &str, kind: usize) {
        self.known.entry(name.to_owned()).or_default().0 |= 1 << kind;
    }

    /// Each with its kinds, in alphabetical order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, KindSet)> {
        self.known.iter().map(|(name, &kinds)| (&**name, kinds))
    }

    /// The kinds of the one that is chosen.
    pub(crate) fn chosen(&self) -> Option<KindSet> {
        self.chosen
    }

    /// Chooses one; or none.
    pub(crate) fn choose(&mut self, name: Option<&str>) -> Result<(), Error> {
        self.chosen = None;
        let Some(name) = name else { return Ok(()) };
        let unknown = || Error::Convention {
            name: name.to_owned(),
            known: self.known.keys().cloned().collect(),
        };
        self.chosen = Some(*self.known.get(name).ok_or_else(unknown)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_out_as_before() {
        let kinds = KindSet(0b101);
        let scores = [1.0, 9.0, -0.5, 2.0];
        let (all, some) = (softmax(&scores), kinds.softmax(&scores));
        let sum = all[0] + all[2];
        for (kind, &found) in some.iter().enumerate() {
            let expected = if kinds.has(kind) { all[kind] / sum } else { 0.0 };
            assert!((found - expected).abs() < 1e-12, "{kind}: {found} {expected}");
        }
    }

    #[test]
    fn very_improbable_kinds_are_distinguished() {
        let found = KindSet(0b110).softmax(&[0.0, -4000.0, -4001.0]);
        let expected = 1.0 / (1.0 + (-1f64).exp());
        assert!((found[1] - expected).abs() < 1e-12, "{found:?}");
        assert_eq!(found[0], 0.0);
    }

    #[test]
    fn an_unknown_one_is_refused_with_those_that_are_known() {
        let mut conventions = Conventions::default();
        let error = conventions.choose(Some("blog")).unwrap_err().to_string();
        assert!(error.contains("trained without"), "{error}");
        conventions.add("dragnet", 0);
        conventions.add("cleaneval", 1);
        let error = conventions.choose(Some("blog")).unwrap_err().to_string();
        assert!(error.contains("cleaneval, dragnet"), "{error}");
        assert_eq!(conventions.chosen(), None);
        conventions.choose(Some("dragnet")).unwrap();
        assert!(
            conventions
                .chosen()
                .is_some_and(|kinds| kinds.has(0) && !kinds.has(1))
        );
        conventions.choose(None).unwrap();
        assert_eq!(conventions.chosen(), None);
    }
}
