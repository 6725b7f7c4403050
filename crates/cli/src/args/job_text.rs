//! Errors in job files, with their line.

use std::ops::Range;
use std::path::Path;

use anyhow::{Error, anyhow};

use crate::args::nearest::nearest;

/// What only training jobs have, of all that stands above their tables and the tables' names.
const TRAINING: [&str; 4] = ["gold", "training", "features", "dev"];

/// Whether a job file with these keys is one for `gleaner train`.
pub(crate) fn is_training<'a>(mut keys: impl Iterator<Item = &'a str>) -> bool {
    keys.any(|key| TRAINING.contains(&key))
}

/// Whether a job file with these keys is one for `gleaner crawl`.
pub(crate) fn is_crawl<'a>(mut keys: impl Iterator<Item = &'a str>) -> bool {
    keys.any(|key| key == "seeds")
}

/// A job file's text and name.
pub(crate) struct JobText<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> JobText<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str) -> JobText<'a> {
        JobText { path, text }
    }

    /// A sentence about a place (bytes of the text), which is named as `FILE:LINE`.
    pub(crate) fn at(&self, place: Range<usize>, sentence: &str) -> String {
        let before = self.text.as_bytes().iter().take(place.start);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        format!("{}:{line}: {sentence}", self.path.display())
    }

    /// What TOML's reader has to say, in a sentence, with the nearest name for one that it does not know.
    pub(crate) fn error(&self, error: &toml::de::Error) -> Error {
        let message: Vec<&str> = error.message().split_whitespace().collect();
        let message = message.join(" ");
        let key = error.span().and_then(|place| self.text.get(place));
        let sentence = match (message.as_str(), key) {
            ("duplicate key", Some(key)) => format!("`{key}` is set twice: leave one of the two out"),
            _ => mended(&message),
        };
        match error.span() {
            Some(place) => anyhow!(self.at(place, &sentence)),
            None => anyhow!("{}: {sentence}", self.path.display()),
        }
    }
}

/// "unknown field `a`, expected one of `b`, `c`" with the nearest of them, if any is near.
fn mended(message: &str) -> String {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match (message.strip_prefix("unknown field "), names.split_first()) {
        (Some(_), Some((unknown, known))) => match nearest(unknown, known.iter().copied()) {
            Some(nearest) => format!("unknown key `{unknown}`: did you mean `{nearest}`?"),
            None => format!("unknown key `{unknown}`: known here: {}", known.join(", ")),
        },
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_unknown_fields_get_a_mend() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only its names are of interest")]
        struct Known {
            l1: Option<f64>,
            epsilon: Option<f64>,
        }
        let said = |text: &str| {
            let error = toml::from_str::<Known>(text).unwrap_err();
            JobText::new(Path::new("job.toml"), text)
                .error(&error)
                .to_string()
        };
        assert_eq!(
            said("# é\nepsilom = 1.0\n"),
            "job.toml:2: unknown key `epsilom`: did you mean `epsilon`?"
        );
        assert_eq!(
            said("\n\nsmoothing = 1.0\n"),
            "job.toml:3: unknown key `smoothing`: known here: l1, epsilon"
        );
        assert_eq!(
            said("l1 = 1.0\nepsilon = 1.0\nl1 = 2.0\n"),
            "job.toml:3: `l1` is set twice: leave one of the two out"
        );
        assert!(said("l1 = \n").starts_with("job.toml:1: "), "{}", said("l1 = \n"));
    }
}
