//! A folder with a file for each cleaned page. A page never takes the place of another, nor of a file that is read.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gleaner_store::Place;

use super::printed::{Printed, whole};
use crate::args::{Clean, CleanFormat};
use crate::terminal::console;
use gleaner_training::FoundPage;

pub(super) struct Folder {
    path: PathBuf,
    format: CleanFormat,
    /// Whether files that are there are replaced.
    force: bool,
    /// The inputs as they were named, also from the root on, and where they are.
    inputs: Vec<(String, PathBuf)>,
    /// Names that are taken, in lower case: many file systems do not distinguish cases.
    taken: HashSet<String>,
    /// How many pages would have had each of these names.
    alike: HashMap<String, u64>,
    /// Records without an address.
    unnamed: u64,
    written: u64,
}

impl Folder {
    /// It is made for its first page.
    pub(super) fn new(path: &Path, arguments: &Clean) -> Folder {
        let places = |input: &PathBuf| {
            let names = [Some(input.clone()), std::path::absolute(input).ok()];
            let names = names.into_iter().flatten().map(|name| name.display().to_string());
            let there = input.canonicalize().ok();
            let named = |name: String| Some((name.trim_end_matches('/').to_owned(), there.clone()?));
            names.filter_map(named).collect::<Vec<_>>()
        };
        Folder {
            path: path.to_owned(),
            format: arguments.format,
            force: arguments.force,
            inputs: arguments.files.iter().flat_map(places).collect(),
            taken: HashSet::new(),
            alike: HashMap::new(),
            unnamed: 0,
            written: 0,
        }
    }

    /// Writes a page to a file of its own.
    ///
    /// # Errors
    /// The file is there already, or cannot be written.
    pub(super) fn add(&mut self, page: &Printed, found: &FoundPage<'_>) -> Result<()> {
        let name = self.name(found);
        let path = self.path.join(&name);
        let could_not = || format!("could not write {}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(could_not)?;
        }
        let mut file = self.create(&path)?;
        file.write_all(whole(self.format, page).as_bytes())
            .with_context(could_not)?;
        self.written += 1;
        Ok(())
    }

    fn create(&self, path: &Path) -> Result<File> {
        let could_not = || format!("could not write {}", path.display());
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && self.is_input(path) => bail!(
                "{} is an input file: name another folder for --out{}",
                path.display(),
                self.before()
            ),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !self.force => bail!(
                "{} exists already: name another folder for --out, or replace it with --force{}",
                path.display(),
                self.before()
            ),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                File::create(path).with_context(could_not)
            }
            Err(error) => Err(error).with_context(could_not),
        }
    }

    /// The files that were written before an error.
    fn before(&self) -> String {
        match self.written {
            0 => String::new(),
            1 => " (1 page was written before)".to_owned(),
            count => format!(" ({} pages were written before)", console::grouped(count)),
        }
    }

    /// Whether a file that is there is an input, or in a folder that is one. This folder is not read if it is in
    /// another one that is.
    fn is_input(&self, path: &Path) -> bool {
        let (Ok(place), Ok(folder)) = (path.canonicalize(), self.path.canonicalize()) else {
            return false;
        };
        let is_read_around = |input: &Path| folder != input && folder.starts_with(input);
        let covers = |input: &Path| place == input || (place.starts_with(input) && !is_read_around(input));
        self.inputs.iter().any(|(_, input)| covers(input))
    }

    fn name(&mut self, found: &FoundPage<'_>) -> String {
        let stem = match found.is_record {
            true if !found.url.is_empty() => of_url(found.url),
            true => {
                self.unnamed += 1;
                format!("{}-{}", of_file(last(found.file)), self.unnamed)
            }
            false => self.of_input(found.file),
        };
        let extension = match self.format {
            CleanFormat::Text | CleanFormat::Cleaneval => "txt",
            CleanFormat::Markdown => "md",
            CleanFormat::Json => "json",
            CleanFormat::Html | CleanFormat::View => "html",
        };
        let alike = self.alike.entry(stem.to_lowercase()).or_default();
        loop {
            *alike += 1;
            let name = match *alike {
                1 => format!("{stem}.{extension}"),
                number => format!("{stem}-{number}.{extension}"),
            };
            if self.taken.insert(name.to_lowercase()) {
                return name;
            }
        }
    }

    /// The name for a file: that of the file, after its folders below the one that is an input.
    fn of_input(&self, file: &str) -> String {
        if let Some(path) = path_of_url(file) {
            return self.of_input(&path);
        }
        let below = |(input, _): &(String, PathBuf)| file.strip_prefix(input.as_str())?.strip_prefix('/');
        let path = self.inputs.iter().find_map(below).unwrap_or_else(|| last(file));
        let mut parts: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let file = parts.pop().map(of_file).unwrap_or_default();
        let folders = parts.iter().map(|folder| format!("{folder}/"));
        folders.collect::<String>() + &file
    }

    /// Says what was written.
    pub(super) fn print_count(&self) {
        let (count, folder) = (console::grouped(self.written), self.path.display());
        match self.written {
            1 => console::say(&format!("wrote 1 page to {folder}")),
            _ => console::say(&format!("wrote {count} pages to {folder}")),
        }
    }
}

fn path_of_url(file: &str) -> Option<String> {
    match Place::parse(file).ok()? {
        Place::Local(path) if file.starts_with("file://") => Some(path.display().to_string()),
        _ => None,
    }
}

fn last(file: &str) -> &str {
    file.rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(file)
}

fn of_file(name: &str) -> String {
    const ENDS: [&str; 11] = [
        ".gz", ".zst", ".lz4", ".html", ".htm", ".xhtml", ".shtml", ".txt", ".warc", ".arc", ".wet",
    ];
    let end_of = |name: &str| {
        let is_end = |end: &&&str| {
            let at = name.len().checked_sub(end.len());
            at.and_then(|at| name.get(at..))
                .is_some_and(|own| own.eq_ignore_ascii_case(end))
        };
        ENDS.iter().find(is_end).map(|end| name.len() - end.len())
    };
    let mut stem = name;
    while let Some(end) = end_of(stem).filter(|&end| end > 0) {
        stem = &stem[..end];
    }
    safe(stem)
}

/// A name for an address: its letters and digits, and underscores for the rest.
fn of_url(url: &str) -> String {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    of_file(address)
}

/// Names are not longer, in bytes: file systems have a limit of 255.
const LONGEST: usize = 160;

/// A text as the name of a file on any system.
fn safe(text: &str) -> String {
    let mut name = String::new();
    for letter in text.chars() {
        if name.len() + letter.len_utf8() > LONGEST {
            break;
        }
        match letter {
            letter if letter.is_alphanumeric() || matches!(letter, '-' | '.') => name.push(letter),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_matches(['_', '.']);
    match name {
        "" => "page".to_owned(),
        name => name.to_owned(),
    }
}
