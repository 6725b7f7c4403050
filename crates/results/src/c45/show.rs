//! A tree as text, in the format of Weka.

use std::fmt;

use super::table::Kind;
use super::tree::Tree;

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nodes[0].branches.is_empty() {
            return writeln!(f, "{}", self.leaf(0, 0));
        }
        self.show(f, 0, 0)
    }
}

impl Tree {
    fn show(&self, f: &mut fmt::Formatter<'_>, at: u32, depth: usize) -> fmt::Result {
        let node = &self.nodes[at as usize];
        for (branch, &next) in node.branches.iter().enumerate() {
            f.write_str(&"|   ".repeat(depth))?;
            f.write_str(&self.condition(at, branch))?;
            if self.nodes[next as usize].branches.is_empty() {
                writeln!(f, "{}", self.leaf(at, branch))?;
            } else {
                f.write_str("\n")?;
                self.show(f, next, depth + 1)?;
            }
        }
        Ok(())
    }

    /// `petalwidth <= 0.6`.
    fn condition(&self, at: u32, branch: usize) -> String {
        let node = &self.nodes[at as usize];
        let attribute = &self.attributes[node.attribute.unwrap_or_default()];
        match (&attribute.kind, node.threshold) {
            (Kind::Nominal(values), _) => format!("{} = {}", attribute.name, values[branch]),
            (Kind::Numeric, threshold) => {
                let sign = if branch == 0 { "<=" } else { ">" };
                format!(
                    "{} {sign} {}",
                    attribute.name,
                    rounded(threshold.unwrap_or_default(), 6)
                )
            }
        }
    }

    /// `: Iris-setosa (50.0/1.0)`: the class, the weight of the leaf, and the weight of other classes in it.
    fn leaf(&self, at: u32, branch: usize) -> String {
        let (class, weight, wrong) = self.nodes[at as usize].prediction(branch);
        let name = &self.attributes[self.class].values()[class];
        let wrong = match wrong > super::counts::SMALL {
            true => format!("/{}", as_weight(wrong)),
            false => String::new(),
        };
        format!(": {name} ({}{wrong})", as_weight(weight))
    }
}

/// A number with at most `digits` decimal places.
fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" {
        "0".to_owned()
    } else {
        short.to_owned()
    }
}

/// A weight with one or two decimal places: `50.0`.
fn as_weight(value: f64) -> String {
    let text = rounded((value * 100.0).round() / 100.0, 2);
    if text.contains('.') { text } else { text + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.6, 1.75, 5.0, 0.1234567, -0.0].map(|value| rounded(value, 6));
        assert_eq!(numbers, ["0.6", "1.75", "5", "0.123457", "0"]);
        assert_eq!([50.0, 2.5, 1.0 / 3.0].map(as_weight), ["50.0", "2.5", "0.33"]);
    }
}
