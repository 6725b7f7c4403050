//! The file that a command writes, looked at before the work that it is to hold.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gleaner_gold::Folder;

use gleaner_training::archive_beside;

/// Checks that a file can be written, and that it is none of those that the command reads: gold files, with the
/// archives beside them, pages and gold texts in folders, and others.
///
/// # Errors
/// It is a folder, its folder is not there, or it is one of the inputs.
pub(crate) fn check_output<'p>(out: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    if out.is_dir() {
        bail!("{} is a folder: name a file", out.display());
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!(
            "{}: no folder {}: create it first",
            out.display(),
            folder.display()
        );
    }
    let Ok(there) = out.canonicalize() else {
        return Ok(());
    };
    let is_read = |input: PathBuf| input.canonicalize().is_ok_and(|input| input == there);
    let with_pages = |input: &Path| {
        let pairs = Folder::read(input).unwrap_or_default().pairs;
        let files = pairs.into_iter().flat_map(|pair| [pair.page, pair.text]);
        [Some(input.to_owned()), archive_beside(input).ok()]
            .into_iter()
            .flatten()
            .chain(files)
            .collect::<Vec<_>>()
    };
    if inputs.into_iter().flat_map(with_pages).any(is_read) {
        bail!(
            "{} is an input of the same command: name another file",
            out.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_folders_are_no_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a.gold.jsonl", "a.warc.gz", "job.toml", "old.gcrf"] {
            std::fs::write(path(name), "").unwrap();
        }
        let (gold, job) = (path("a.gold.jsonl"), path("job.toml"));
        let check =
            |name: &str| check_output(&path(name), [&*gold, &*job]).map_err(|error| error.to_string());
        for name in ["a.gold.jsonl", "a.warc.gz", "job.toml"] {
            assert!(
                check(name)
                    .unwrap_err()
                    .contains("is an input of the same command"),
                "{name}"
            );
        }
        assert!(check("").unwrap_err().contains("is a folder"));
        assert!(check("none/x.gcrf").unwrap_err().contains("no folder"));
        assert_eq!(check("old.gcrf"), Ok(()));
        assert_eq!(check("new.gcrf"), Ok(()));
        assert!(check_output(Path::new("new.gcrf"), [&*gold]).is_ok());
    }
}
