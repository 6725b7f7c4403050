//! `--url-list`: a list of domains and URLs, with its name.

use std::path::PathBuf;
use std::str::FromStr;

/// A file or folder, and the name of the list that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UrlListFile {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// Characters of a name, at most.
const LONGEST_NAME: usize = 64;

impl FromStr for UrlListFile {
    type Err = String;

    fn from_str(text: &str) -> Result<UrlListFile, String> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err("write a name and a file or folder, as in adult=lists/adult".to_owned());
        };
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_letter) {
            return Err(format!(
                "the name '{name}' of the list has to be of letters (a-z and A-Z), digits, '.', '_' and '-', {LONGEST_NAME} at \
                 most"
            ));
        }
        Ok(UrlListFile {
            name: name.to_owned(),
            path: path.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_name_and_a_path() {
        let list: UrlListFile = "mixed_adult=a=b/c".parse().unwrap();
        assert_eq!((&*list.name, list.path.to_str()), ("mixed_adult", Some("a=b/c")));
        for wrong in ["", "adult", "adult=", "=a", "a b=c", "a,b=c", "é=c"] {
            assert!(wrong.parse::<UrlListFile>().is_err(), "{wrong}");
        }
    }
}
