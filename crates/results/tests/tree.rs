//! Trees of our own files, and what holds for all trees.

use gleaner_results::{Attribute, Config, Scores, Table, Tree, arff, train};
use proptest::prelude::*;

fn garden() -> Table {
    arff::read(include_str!("data/garden.arff")).expect("the file is sound")
}

#[test]
fn the_garden_is_told_by_its_water() {
    let table = garden();
    let tree = train(&table, 4, &Config::default()).unwrap();
    let scores = Scores::of(&tree, &table);
    assert!(scores.accuracy() > 0.9, "{tree}");
    assert_eq!((scores.rows(), tree.leaves() <= tree.size()), (24, true));
    assert!(tree.to_string().contains("height <= "), "{tree}");
}

#[test]
fn what_cannot_be_trained_is_said() {
    let table = garden();
    let said = |class, config: &Config| train(&table, class, config).unwrap_err().to_string();
    assert_eq!(
        said(9, &Config::default()),
        "there is no attribute 9: the table has 5"
    );
    assert!(said(0, &Config::default()).contains("height is a number"));
    let config = Config {
        confidence: Some(0.7),
        ..Config::default()
    };
    assert_eq!(said(4, &config), "confidence must be above 0, and 0.5 at most");
    let none = table.select(&[]);
    assert!(
        train(&none, 4, &Config::default())
            .unwrap_err()
            .to_string()
            .contains("no row")
    );
}

#[test]
fn a_tree_is_no_deeper_than_it_may_be() {
    let mut table = Table::new(
        "steps",
        vec![
            Attribute::numeric("x"),
            Attribute::nominal("c", &["a", "b", "c", "d"]),
        ],
    );
    (0..4000).for_each(|at| table.push(&[f64::from(at), f64::from(at / 100 % 4)]));
    let depth = |tree: &Tree| {
        tree.to_string()
            .lines()
            .map(|line| line.matches("|   ").count())
            .max()
    };
    let config = Config {
        max_depth: 3,
        ..Config::default()
    };
    let free = train(&table, 1, &Config::default()).unwrap();
    assert!(depth(&free) > Some(2), "{free}");
    assert!(depth(&train(&table, 1, &config).unwrap()) <= Some(2));
    assert_eq!(Scores::of(&free, &table).accuracy(), 1.0);
}

fn table() -> impl Strategy<Value = Table> {
    let row = (
        prop::option::weighted(0.9, 0u8..12),
        prop::option::weighted(0.9, 0usize..3),
        0usize..3,
    );
    prop::collection::vec(row, 1..60).prop_map(|rows| {
        let attributes = vec![
            Attribute::numeric("n"),
            Attribute::nominal("m", &["x", "y", "z"]),
            Attribute::nominal("c", &["a", "b", "c"]),
        ];
        let mut table = Table::new("random", attributes);
        for (number, value, class) in rows {
            let number = number.map_or(f64::NAN, f64::from);
            table.push(&[number, value.map_or(f64::NAN, |value| value as f64), class as f64]);
        }
        table
    })
}

proptest! {
    #[test]
    fn probabilities_add_up_and_trees_come_back(table in table(), row in (0u8..15, 0usize..3)) {
        let tree = train(&table, 2, &Config::default()).unwrap();
        prop_assert_eq!(&Tree::from_toml(&tree.to_toml()).unwrap(), &tree);
        for number in [f64::from(row.0), f64::NAN] {
            for value in [row.1 as f64, f64::NAN] {
                let probabilities = tree.probabilities(&[number, value, f64::NAN]);
                let sum: f64 = probabilities.iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-6, "{} {:?}", tree, probabilities);
            }
        }
    }

    /// Where no value is missing, a pruned tree is no better on its rows than one that grew freely, and no larger.
    #[test]
    fn pruning_makes_trees_smaller(table in table()) {
        let is_whole = |row: &usize| table.row(*row).iter().all(|value| !value.is_nan());
        let table = table.select(&(0..table.rows()).filter(is_whole).collect::<Vec<_>>());
        prop_assume!(table.rows() > 0);
        let free = Config { confidence: None, raise: false, ..Config::default() };
        let grown = train(&table, 2, &free).unwrap();
        let pruned = train(&table, 2, &Config { confidence: Some(0.25), ..free }).unwrap();
        prop_assert!(pruned.size() <= grown.size());
        let all = Scores::of(&grown, &table).accuracy();
        prop_assert!(Scores::of(&pruned, &table).accuracy() <= all + 1e-9);
    }
}
