//! Archives that hold nothing.

use serde::{Deserialize, Serialize};

/// As many are named.
const NAMED: usize = 20;

/// Archives without a record and without damage: no bytes, or nothing but what may stand between records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmptyArchives {
    /// How many there are.
    pub count: u64,
    /// Where they are, sorted: the first twenty, so that they are the same in every run.
    pub names: Vec<String>,
}

impl EmptyArchives {
    /// Counts one more.
    pub(crate) fn push(&mut self, name: &str) {
        self.count += 1;
        self.name(name);
    }

    /// Counts those of another part.
    pub(crate) fn add(&mut self, other: &EmptyArchives) {
        self.count += other.count;
        other.names.iter().for_each(|name| self.name(name));
    }

    fn name(&mut self, name: &str) {
        let at = self.names.partition_point(|before| before.as_str() <= name);
        if at < NAMED {
            self.names.insert(at, name.to_owned());
            self.names.truncate(NAMED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_by_name_are_kept_whatever_the_order() {
        let names: Vec<String> = (0..50).map(|at| format!("{:02}.warc", at * 37 % 50)).collect();
        let mut alone = EmptyArchives::default();
        names.iter().for_each(|name| alone.push(name));
        let mut sum = EmptyArchives::default();
        for part in names.rchunks(7) {
            let mut counted = EmptyArchives::default();
            part.iter().for_each(|name| counted.push(name));
            sum.add(&counted);
        }
        assert_eq!(sum, alone);
        assert_eq!((sum.count, sum.names.len()), (50, NAMED));
        assert_eq!(
            (sum.names[0].as_str(), sum.names[19].as_str()),
            ("00.warc", "19.warc")
        );
    }
}
