//! Training of the kinds of pages: see [`PageKinds`].

use gleaner_crf::lbfgs;
use gleaner_gbdt::{LabelBlocks, TreesConfig, boost_labels};

use super::gate::GateProblem;
use crate::page_kinds::{PageKinds, STEPS};

/// The cues of a page, by [`PageCues::codes`](gleaner_features::PageCues::codes), and the kinds that it may be of, a bit
/// each: more than one where it is not known which.
pub type PageOfKind = (Vec<u8>, u8);

/// How the kinds of pages are learned.
#[derive(Clone, Copy, Debug)]
pub struct PageKindsConfig<'c> {
    /// Pages count by the number of those of their kind to the power of minus this: 1 has all kinds count the same.
    pub balance: f64,
    /// The weight of the squares of the weights.
    pub l2: f64,
    /// Maximum iterations of the training of the weights.
    pub max_iterations: usize,
    /// How the trees are grown, and their share.
    pub trees: &'c TreesConfig,
}

/// Trains a model of kinds.
pub fn train_page_kinds(
    kinds: &[String],
    pages: &[PageOfKind],
    config: PageKindsConfig<'_>,
    threads: usize,
) -> PageKinds {
    let counts = counts(kinds.len(), pages, config.balance);
    let cues = pages.first().map_or(0, |(cues, _)| cues.len());
    let blocks = LabelBlocks {
        inputs: (0..cues)
            .map(|cue| pages.iter().map(|(codes, _)| codes[cue]).collect())
            .collect(),
        gold: pages.iter().map(|(_, kinds)| *kinds).collect(),
        labels: kinds.len(),
        weights: counts.iter().map(|&count| count as f32).collect(),
    };
    let trees = boost_labels(&blocks, config.trees, threads, &mut |_, _| true);
    PageKinds::new(kinds, &weights(kinds.len(), pages, counts, config), &trees)
}

/// The weights of all cues, step by step, and last the bias.
fn weights(kinds: usize, pages: &[PageOfKind], counts: Vec<f64>, config: PageKindsConfig<'_>) -> Vec<f64> {
    let cues = pages.first().map_or(0, |(cues, _)| cues.len());
    let bias = (cues * STEPS) as u32;
    let reached = |(cues, _): &PageOfKind| {
        let steps = cues.iter().zip((0..bias).step_by(STEPS));
        let reached = steps.flat_map(|(&code, first)| first..first + u32::from(code));
        reached.chain([bias]).map(|attribute| (attribute, 1.0)).collect()
    };
    let problem = GateProblem {
        means: pages.iter().map(reached).collect(),
        kinds: pages.iter().map(|(_, kinds)| *kinds).collect(),
        counts,
        attributes: bias as usize + 1,
        count: kinds,
    };
    let settings = lbfgs::Settings {
        max_iterations: config.max_iterations,
        memory: 10,
        epsilon: 1e-5,
        delta: 1e-5,
        period: 10,
    };
    problem.fit(config.l2, &settings, |_| true)
}

/// How much each page counts: one on the average.
fn counts(kinds: usize, pages: &[PageOfKind], balance: f64) -> Vec<f64> {
    let share = |of: u8| 1.0 / f64::from(of.count_ones().max(1));
    let of_kind = |kind: usize| {
        let pages = pages.iter().filter(move |(_, of)| of >> kind & 1 == 1);
        pages.map(|(_, of)| share(*of)).sum::<f64>().max(1.0)
    };
    let sizes: Vec<f64> = (0..kinds).map(of_kind).collect();
    let size = |of: u8| {
        let own = (0..kinds).filter(|kind| of >> kind & 1 == 1);
        own.map(|kind| sizes[kind]).sum::<f64>() * share(of)
    };
    let counts: Vec<f64> = pages
        .iter()
        .map(|(_, of)| size(*of).max(1.0).powf(-balance))
        .collect();
    let mean = counts.iter().sum::<f64>() / counts.len().max(1) as f64;
    counts.iter().map(|count| count / mean).collect()
}

#[cfg(test)]
mod tests {
    use gleaner_features::PageCues;

    use super::*;

    #[test]
    fn cues_of_a_kind_predict_it_and_unknown_pages_follow() {
        let names = PageCues::names();
        let cart = names.iter().position(|name| name == "word.cart").unwrap();
        let page = |code: u8, kinds: u8| {
            let mut codes = vec![0; names.len()];
            codes[cart] = code;
            (codes, kinds)
        };
        let kinds = ["article", "blog", "product"].map(str::to_owned);
        let pages: Vec<PageOfKind> = (0..40)
            .map(|number| match number % 4 {
                0 => page(3, 0b100),
                1 => page(1, 0b100),
                2 => page(0, 0b001),
                _ => page(0, 0b011),
            })
            .collect();
        let trees = TreesConfig {
            count: 20,
            leaves: 3,
            l2: 1.0,
            columns: 1.0,
            blocks: 1.0,
            ..TreesConfig::default()
        };
        let config = PageKindsConfig {
            balance: 0.5,
            l2: 0.1,
            max_iterations: 100,
            trees: &trees,
        };
        let text = train_page_kinds(&kinds, &pages, config, 2).to_text();
        let questions: Vec<&str> = text
            .lines()
            .skip(1)
            .filter_map(|line| line.split('\t').nth(1))
            .collect();
        assert!(questions.contains(&"0:word.cart>=1"), "{text}");
        assert!(!text.contains("word.goods"), "{text}");
        let found = PageKinds::from_text(&text).unwrap();
        let predicted = |code: u8| found.likeliest(&found.shares_of(&page(code, 0).0)).0.to_owned();
        assert_eq!(
            [predicted(0), predicted(1), predicted(3)],
            ["article", "product", "product"]
        );
    }
}
