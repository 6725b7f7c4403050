//! Trees saved as TOML.

use std::collections::BTreeMap;

use super::tree::Tree;
use crate::error::Error;

/// The start of the field `form`, the same in all versions.
const FORMS: &str = "gleaner-tree ";

/// The field `form`: name and version of the format.
const FORM: &str = "gleaner-tree 1";

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    form: String,
    tree: Tree,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    notes: BTreeMap<String, String>,
}

impl Tree {
    /// The tree as TOML.
    pub fn to_toml(&self) -> String {
        self.to_toml_with(BTreeMap::new())
    }

    /// The tree as TOML, and named notes after it.
    pub fn to_toml_with(&self, notes: BTreeMap<String, String>) -> String {
        let saved = Saved {
            form: FORM.to_owned(),
            tree: self.clone(),
            notes,
        };
        toml::to_string(&saved).expect("strings, lists and numbers always have a form in TOML")
    }

    /// Whether a file is a saved tree, of any version.
    pub fn is_saved(bytes: &[u8]) -> bool {
        let is_form = |line: &str| {
            let form = line.strip_prefix("form = \"");
            form.is_some_and(|form| form.starts_with(FORMS))
        };
        std::str::from_utf8(bytes).is_ok_and(|text| text.lines().any(is_form))
    }

    /// Reads a tree that [`to_toml`](Tree::to_toml) wrote.
    ///
    /// # Errors
    /// When the text is not TOML of this form, or the tree in it contradicts itself.
    pub fn from_toml(text: &str) -> Result<Tree, Error> {
        Tree::from_toml_with_notes(text).map(|(tree, _)| tree)
    }

    /// Reads a tree, and the notes that [`to_toml_with`](Tree::to_toml_with) wrote after it.
    ///
    /// # Errors
    /// As [`from_toml`](Tree::from_toml).
    pub fn from_toml_with_notes(text: &str) -> Result<(Tree, BTreeMap<String, String>), Error> {
        let saved: Saved = toml::from_str(text)
            .map_err(|error: toml::de::Error| Error::NotSaved(error.message().to_owned()))?;
        if saved.form != FORM {
            return Err(Error::Unsound(format!(
                "its form is {:?}, not {FORM:?}",
                saved.form
            )));
        }
        saved.tree.check().map_err(Error::Unsound)?;
        Ok((saved.tree, saved.notes))
    }

    /// Checks everything that [`classify`](Tree::classify) and printing rely on.
    fn check(&self) -> Result<(), String> {
        let class = self.attributes.get(self.class).ok_or("it has no class")?;
        if class.values().is_empty() {
            return Err("its class is a number".to_owned());
        }
        if self.nodes.is_empty() {
            return Err("it has no nodes".to_owned());
        }
        let mut depths = vec![None; self.nodes.len()];
        depths[0] = Some(0);
        for at in 0..self.nodes.len() {
            let depth = depths[at].ok_or(format!("nothing leads to node {at}"))?;
            self.check_node(at, class.values().len())
                .map_err(|what| format!("node {at}: {what}"))?;
            for &branch in &self.nodes[at].branches {
                let place = depths.get_mut(branch as usize).filter(|place| place.is_none());
                let Some(place) = place.filter(|_| depth < Tree::MAX_DEPTH) else {
                    return Err(format!(
                        "node {at} leads to a node that is not there, used already, or too deep"
                    ));
                };
                *place = Some(depth + 1);
            }
        }
        Ok(())
    }

    fn check_node(&self, at: usize, classes: usize) -> Result<(), &'static str> {
        let node = &self.nodes[at];
        let is_weight = |weight: &f64| weight.is_finite() && *weight >= -1e-3;
        if node
            .counts
            .iter()
            .any(|counts| counts.len() != classes || !counts.iter().all(is_weight))
        {
            return Err("it needs a weight for each class");
        }
        let Some(attribute) = node.attribute else {
            return match (node.counts.len(), node.branches.len(), node.threshold) {
                (1, 0, None) => Ok(()),
                _ => Err("a leaf has one list of weights, and no branches"),
            };
        };
        if node.branches.is_empty() || node.branches.len() != node.counts.len() {
            return Err("a test needs branches, and weights for each");
        }
        let asked = self.attributes.get(attribute).filter(|_| attribute != self.class);
        let asked = asked.ok_or("it tests an attribute that does not exist")?;
        match (asked.is_numeric(), node.threshold) {
            (true, Some(threshold)) if threshold.is_finite() && node.branches.len() == 2 => Ok(()),
            (false, None) if node.branches.len() == asked.values().len() => Ok(()),
            _ => Err("its branches do not fit the attribute"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c45::{Attribute, Config, Table, train};

    fn tree() -> Tree {
        let attributes = vec![
            Attribute::numeric("n"),
            Attribute::nominal("m", &["a", "b"]),
            Attribute::nominal("c", &["x", "y"]),
        ];
        let mut table = Table::new("r", attributes);
        for row in [
            [1.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [3.0, 1.0, 1.0],
            [4.0, 1.0, 1.0],
            [5.0, f64::NAN, 1.0],
            [f64::NAN, 1.0, 1.0],
        ] {
            table.push(&row);
        }
        train(&table, 2, &Config::default()).unwrap()
    }

    #[test]
    fn a_tree_comes_back_as_it_was() {
        let tree = tree();
        assert!(tree.size() > 1);
        assert_eq!(Tree::from_toml(&tree.to_toml()).unwrap(), tree);
    }

    #[test]
    fn notes_stand_after_the_tree() {
        let (tree, notes) = (tree(), BTreeMap::from([("pages".to_owned(), "00ff".to_owned())]));
        let text = tree.to_toml_with(notes.clone());
        assert!(text.ends_with("\n[notes]\npages = \"00ff\"\n"), "{text}");
        assert_eq!(Tree::from_toml_with_notes(&text).unwrap(), (tree.clone(), notes));
        assert_eq!(Tree::from_toml(&text).unwrap(), tree);
        let without = Tree::from_toml_with_notes(&tree.to_toml()).unwrap();
        assert_eq!(without, (tree, BTreeMap::new()));
    }

    #[test]
    fn a_saved_tree_is_known_from_other_files() {
        let text = tree().to_toml();
        let later = text.replace("gleaner-tree 1", "gleaner-tree 2");
        for saved in [&text, &later, &format!("# mine\n{text}")] {
            assert!(Tree::is_saved(saved.as_bytes()));
        }
        for other in [&b""[..], b"form = \"other 1\"\n", b"\x89GCRF", b"gleaner-tree 1"] {
            assert!(!Tree::is_saved(other));
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        type Change<'a> = &'a dyn Fn(&mut Tree);
        let good = tree();
        let refused = |change: Change<'_>| {
            let mut tree = good.clone();
            change(&mut tree);
            Tree::from_toml(&tree.to_toml()).unwrap_err().to_string()
        };
        let changes: [(Change<'_>, &str); 7] = [
            (&|tree| tree.class = 9, "no class"),
            (&|tree| tree.class = 0, "a number"),
            (&|tree| tree.nodes.clear(), "no nodes"),
            (&|tree| tree.nodes[0].branches[0] = 0, "used already"),
            (&|tree| tree.nodes[0].branches[0] = 77, "not there"),
            (&|tree| tree.nodes[0].counts[0].clear(), "a weight for each class"),
            (&|tree| tree.nodes[1].branches.push(1), "a leaf has one list"),
        ];
        for (change, expected) in changes {
            let said = refused(change);
            assert!(said.contains(expected), "{said}");
        }
        assert!(Tree::from_toml("form = 1").is_err());
        let other = good.to_toml().replace("gleaner-tree 1", "gleaner-tree 9");
        assert!(
            Tree::from_toml(&other)
                .unwrap_err()
                .to_string()
                .contains("its form")
        );
    }
}
