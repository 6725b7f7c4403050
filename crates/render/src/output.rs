//! The archive that is written: `NAME.warc.gz.part` until it is whole.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use gleaner_warc::{NewRecord, PayloadDigest, RecordType, RecordWriter, derived_record_id};

use crate::Error;
use crate::replay::PageToDraw;
use crate::settings::Settings;

const ENDING: &str = ".warc.gz";
const HTML: &str = "text/html; charset=utf-8";

/// An archive that grows. Dropped before it is whole, it is removed.
#[derive(Debug)]
pub(crate) struct Output {
    out: PathBuf,
    part: PathBuf,
    file: File,
    writer: RecordWriter,
    records: Vec<u8>,
    bytes: u64,
    is_whole: bool,
}

impl Output {
    /// Checks a name.
    ///
    /// # Errors
    /// It is none of an archive, or there is one.
    pub(crate) fn check(out: &Path) -> Result<(), Error> {
        let name = out.file_name().and_then(|name| name.to_str());
        let stem = name.and_then(|name| name.strip_suffix(ENDING));
        if stem.is_none_or(str::is_empty) {
            return Err(Error::Name(out.to_owned()));
        }
        match out.exists() {
            true => Err(Error::Exists(out.to_owned())),
            false => Ok(()),
        }
    }

    pub(crate) fn create(out: &Path) -> Result<Output, Error> {
        Output::check(out)?;
        let mut part = out.to_owned().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(true);
        let file = options.open(&part).map_err(Error::write(&part))?;
        Ok(Output {
            out: out.to_owned(),
            part,
            file,
            writer: RecordWriter::default(),
            records: Vec::new(),
            bytes: 0,
            is_whole: false,
        })
    }

    /// Writes the record about the archive: program, browser and options. It has no date of its own, so that the same pages give
    /// the same bytes: its date is that of the first page.
    pub(crate) fn write_info(&mut self, browser: &str, settings: &Settings, date: i64) -> Result<(), Error> {
        let name = self.out.file_name().unwrap_or_default().to_string_lossy();
        let text = info(browser, settings);
        self.writer.write(
            &NewRecord {
                kind: RecordType::Warcinfo,
                id: &derived_record_id(&[name.as_bytes(), text.as_bytes()]),
                date,
                target_uri: None,
                content_type: "application/warc-fields",
                fields: &[("WARC-Filename", &name)],
                block: &[text.as_bytes()],
            },
            &mut self.records,
        );
        self.flush()
    }

    /// Writes a page as it was drawn.
    pub(crate) fn write_page(&mut self, page: &PageToDraw, html: &str, is_cut: bool) -> Result<(), Error> {
        let mut digest = PayloadDigest::default();
        digest.update(html.as_bytes());
        let digest = digest.finish();
        let fields = page.fields.iter().map(|(name, value)| (*name, value.as_str()));
        let mut fields: Vec<_> = fields.collect();
        fields.push(("WARC-Payload-Digest", &digest));
        if is_cut {
            fields.push(("WARC-Truncated", "length"));
        }
        self.writer.write(
            &NewRecord {
                kind: RecordType::Conversion,
                id: &derived_record_id(&[page.record_id.as_bytes(), html.as_bytes()]),
                date: page.date,
                target_uri: Some(&page.target_uri),
                content_type: HTML,
                fields: &fields,
                block: &[html.as_bytes()],
            },
            &mut self.records,
        );
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Error> {
        let written = self.file.write_all(&self.records);
        written.map_err(Error::write(&self.part))?;
        self.bytes += self.records.len() as u64;
        self.records.clear();
        Ok(())
    }

    /// Gives the archive its name. Returns its bytes.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        self.file.sync_all().map_err(Error::write(&self.part))?;
        std::fs::rename(&self.part, &self.out).map_err(Error::write(&self.out))?;
        self.is_whole = true;
        Ok(self.bytes)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.is_whole {
            // What cannot be removed is replaced by the next run.
            std::fs::remove_file(&self.part).ok();
        }
    }
}

/// How the archive was made, as its first record has it.
fn info(browser: &str, settings: &Settings) -> String {
    format!(
        "software: gleaner/{}\r\nformat: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
         description: pages as a browser drew them from their archive\r\nbrowser: {browser}\r\n\
         options: {}--virtual-seconds {} --page-timeout {} --max-page {}\r\n",
        env!("CARGO_PKG_VERSION"),
        if settings.all { "--all " } else { "" },
        settings.virtual_time.as_secs_f64(),
        settings.page_timeout.as_secs_f64(),
        settings.max_page,
    )
}
