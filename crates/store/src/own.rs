//! Files of an output are reached through no symbolic link.
//!
//! The folder of an output may be a link: the user names it. What is in it is ours, and is made by us: a link there was
//! put by another program, and would have a run write, empty or remove files in another place. So each folder on the
//! way is looked at before a file in it is touched, and files are opened without following links, or created where there
//! is none.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use crate::{Error, system};

/// Refuses a name in the folder `root` that leads through a link, or is one.
pub(crate) fn check(root: &Path, name: &str) -> Result<(), Error> {
    let mut path = root.to_owned();
    for part in name.split('/').filter(|part| !part.is_empty()) {
        path.push(part);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => return Err(link(&path)),
            Ok(_) => {}
            // The caller uses the path next, and reports the error.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// The same for the folders of a name alone: what takes the place of a link does not follow it.
pub(crate) fn check_folders(root: &Path, name: &str) -> Result<(), Error> {
    check(root, name.rsplit_once('/').map_or("", |(folders, _)| folders))
}

/// Opens a regular file that is no link. A pipe in its place is not waited for.
pub(crate) fn open(options: &mut OpenOptions, doing: &'static str, path: &Path) -> Result<File, Error> {
    let opened = system::without_links(options)
        .open(path)
        .map_err(|error| match path.is_symlink() {
            true => link(path),
            false => Error::io(doing, path)(error),
        })?;
    let meta = opened.metadata().map_err(Error::io(doing, path))?;
    if meta.is_symlink() {
        return Err(link(path));
    }
    if !meta.is_file() {
        let other = io::Error::other("it is no regular file: remove it");
        return Err(Error::io(doing, path)(other));
    }
    Ok(opened)
}

/// A new file, in place of a file that a killed run may have left.
pub(crate) fn create(path: &Path) -> Result<File, Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(Error::io("could not remove", path)(error));
        }
        _ => {}
    }
    let mut options = OpenOptions::new();
    let created = options.read(true).write(true).create_new(true).open(path);
    created.map_err(Error::io("could not create", path))
}

fn link(path: &Path) -> Error {
    Error::Link(path.display().to_string())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{Options, Output, Store};

    /// A folder whose contents must not change, and an output beside it.
    fn setting() -> (tempfile::TempDir, Output) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("elsewhere/_delta_log")).unwrap();
        std::fs::create_dir(folder.path().join("out")).unwrap();
        std::fs::write(folder.path().join("elsewhere/file"), "precious").unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(&format!("{}/out", folder.path().display())).unwrap();
        (folder, output)
    }

    fn is_untouched(folder: &tempfile::TempDir) -> bool {
        let elsewhere = folder.path().join("elsewhere");
        let names = std::fs::read_dir(&elsewhere).unwrap().count();
        let is_empty = std::fs::read_dir(elsewhere.join("_delta_log")).unwrap().count() == 0;
        names == 2 && is_empty && std::fs::read(elsewhere.join("file")).unwrap() == b"precious"
    }

    fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
        let sentence = outcome.unwrap_err().to_string();
        let (name, mend) = sentence.split_once("/out/").unwrap().1.split_once('\'').unwrap();
        assert!(mend.starts_with(" is a symbolic link: remove it"), "{sentence}");
        name.to_owned()
    }

    #[test]
    fn a_link_in_the_place_of_a_file_is_not_followed() {
        let (folder, output) = setting();
        let out = folder.path().join("out");
        for name in [
            "gleaner.lock",
            "gleaner.json",
            "data",
            ".gleaner.json.partial",
            "absent",
        ] {
            let target = if name == "absent" {
                "../elsewhere/none"
            } else {
                "../elsewhere/file"
            };
            symlink(target, out.join(name)).unwrap();
        }
        assert_eq!(refusal(output.hold()), "gleaner.lock");
        assert_eq!(refusal(output.get("gleaner.json")), "gleaner.json");
        assert_eq!(refusal(output.open_local("data")), "data");
        assert_eq!(refusal(output.put_new("absent", b"x")), "absent");
        assert!(is_untouched(&folder));
        // These take the place of what is there.
        output.put("gleaner.json", b"{}").unwrap();
        output.create_local("data").unwrap().write_all(b"new").unwrap();
        assert_eq!(output.get("gleaner.json").unwrap().unwrap(), "{}");
        let mut data = String::new();
        output
            .open_local("data")
            .unwrap()
            .read_to_string(&mut data)
            .unwrap();
        assert_eq!(data, "new");
        assert!(is_untouched(&folder));
    }

    #[test]
    fn nothing_is_done_in_folders_that_are_links() {
        let (folder, output) = setting();
        let out = folder.path().join("out");
        symlink("../elsewhere", out.join("documents")).unwrap();
        std::fs::create_dir(out.join("sites")).unwrap();
        symlink("../../elsewhere/_delta_log", out.join("sites/_delta_log")).unwrap();
        assert_eq!(refusal(output.create("documents/part")), "documents");
        assert_eq!(refusal(output.put("documents/part", b"x")), "documents");
        assert_eq!(
            refusal(output.put_new("sites/_delta_log/0", b"x")),
            "sites/_delta_log"
        );
        assert_eq!(refusal(output.create_local("documents/a/b")), "documents");
        assert_eq!(refusal(output.delete("documents/file")), "documents");
        assert_eq!(refusal(output.list("documents")), "documents");
        assert_eq!(refusal(output.remove("documents")), "documents");
        assert_eq!(refusal(output.get("documents/file")), "documents");
        assert_eq!(
            refusal(output.check_links("sites/_delta_log")),
            "sites/_delta_log"
        );
        assert!(is_untouched(&folder));
        output.check_links("rejects/_delta_log").unwrap();
    }

    #[test]
    fn the_output_itself_may_be_a_link() {
        let (folder, _) = setting();
        symlink("out", folder.path().join("link")).unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store
            .output(&format!("{}/link", folder.path().display()))
            .unwrap();
        drop(output.hold().unwrap());
        output.put("documents/a", b"x").unwrap();
        assert_eq!(
            std::fs::read(folder.path().join("out/documents/a")).unwrap(),
            b"x"
        );
    }
}
