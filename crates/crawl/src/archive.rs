//! The files of an archive: one that grows, `NAME.warc.gz.part`, and those that are whole.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gleaner_warc::{NewRecord, RecordType, RecordWriter, new_record_id};

use crate::Error;
use crate::settings::Settings;

const ENDING: &str = ".warc.gz";

/// The names of an archive's files.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    out: PathBuf,
    /// Folder and name without the ending.
    stem: PathBuf,
}

impl Names {
    pub(crate) fn new(out: &Path) -> Result<Names, Error> {
        let name = out.file_name().and_then(|name| name.to_str());
        let stem = name.and_then(|name| name.strip_suffix(ENDING));
        match stem.filter(|stem| !stem.is_empty()) {
            Some(stem) => Ok(Names {
                out: out.to_owned(),
                stem: out.with_file_name(stem),
            }),
            None => Err(Error::Name(out.to_owned())),
        }
    }

    fn with(&self, ending: &str) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    pub(crate) fn part(&self) -> PathBuf {
        self.with(".warc.gz.part")
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.with(".warc.gz.journal")
    }

    /// A whole file, by its number from 1 on.
    pub(crate) fn whole(&self, number: u32) -> PathBuf {
        self.with(&format!("-{number:05}{ENDING}"))
    }

    /// The files of an archive by their number: a single file has the name that was given.
    pub(crate) fn all(&self, count: u32) -> Vec<PathBuf> {
        match count {
            1 => vec![self.out.clone()],
            count => (1..=count).map(|number| self.whole(number)).collect(),
        }
    }

    /// Fails if there is an archive of that name.
    pub(crate) fn refuse_existing(&self) -> Result<(), Error> {
        let mut existing = [self.out.clone(), self.whole(1), self.part()].into_iter();
        match existing.find(|file| file.exists()) {
            Some(file) => Err(Error::Exists(file)),
            None => Ok(()),
        }
    }

    /// Gives the part its name as the file with this number; if it has it already, nothing.
    pub(crate) fn finish(&self, number: u32, is_last: bool) -> Result<(), Error> {
        let part = self.part();
        let name = match (number, is_last) {
            (1, true) => self.out.clone(),
            (number, _) => self.whole(number),
        };
        if !part.exists() {
            return Ok(());
        }
        let file = OpenOptions::new().write(true).open(&part);
        file.and_then(|file| file.sync_all())
            .map_err(Error::write(&part))?;
        std::fs::rename(&part, &name).map_err(Error::write(&name))
    }
}

/// The file that grows.
#[derive(Debug)]
pub(crate) struct Part {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Part {
    /// Opens it and cuts it to a length; if that is 0, it begins with a record about the crawl.
    pub(crate) fn open(names: &Names, length: u64, settings: &Settings) -> Result<Part, Error> {
        let path = names.part();
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(false);
        let file = options.open(&path).map_err(Error::write(&path))?;
        if file.metadata().map_err(Error::read(&path))?.len() < length {
            return Err(Error::Shorter(path));
        }
        let mut part = Part { path, file, length };
        part.cut()?;
        if length == 0 {
            part.write(&warcinfo(names, settings))?;
        }
        Ok(part)
    }

    /// Bytes of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Adds records. If that fails, nothing of them is there.
    pub(crate) fn write(&mut self, records: &[u8]) -> Result<(), Error> {
        if let Err(error) = self.file.write_all(records) {
            self.cut()?;
            return Err(Error::write(&self.path)(error));
        }
        self.length += records.len() as u64;
        Ok(())
    }

    /// Cuts it to its length: what is beyond stands in no line of the journal.
    fn cut(&mut self) -> Result<(), Error> {
        let cut = self.file.set_len(self.length);
        let cut = cut.and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
        cut.map(drop).map_err(Error::write(&self.path))
    }
}

/// The record about the crawl, at the beginning of each file.
fn warcinfo(names: &Names, settings: &Settings) -> Vec<u8> {
    let text = format!(
        "software: gleaner/{}\r\nformat: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
         http-header-user-agent: {}\r\noperator: {}\r\nrobots: obey\r\n",
        env!("CARGO_PKG_VERSION"),
        settings.user_agent(),
        settings.contact,
    );
    let name = names.out.file_name().unwrap_or_default().to_string_lossy();
    let mut records = Vec::new();
    RecordWriter::default().write(
        &NewRecord {
            kind: RecordType::Warcinfo,
            id: &new_record_id(),
            date: now(),
            target_uri: None,
            content_type: "application/warc-fields",
            fields: &[("WARC-Filename", &name)],
            block: &[text.as_bytes()],
        },
        &mut records,
    );
    records
}

/// Milliseconds since 1970, UTC.
pub(crate) fn now() -> i64 {
    chrono::Utc::now().timestamp_millis()
}
