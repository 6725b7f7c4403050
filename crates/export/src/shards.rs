//! Files of about one size, one behind the other. A shard ends with the page that fills it; its size is counted before it is
//! compressed, so that it depends on the pages alone.

use std::io::{self, Write};

use arrow_schema::SchemaRef;
use blake3::Hasher;
use flate2::write::GzEncoder;
use gleaner_store::{Output, Place, Upload};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::format::body::{Body, Record};
use crate::format::parquet::RowWriter;
use crate::format::{Compression, Format};

/// As the tables of a corpus.
const ZSTD_LEVEL: i32 = 3;

/// A file that is written, or a folder of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardFile {
    /// Its name.
    pub name: String,
    /// The documents in it.
    pub documents: u64,
    /// Its bytes; of a folder, those of all files.
    pub bytes: u64,
    /// The BLAKE3 digest of its bytes; of a folder, that of a line for each file: its digest, two spaces, its name.
    pub blake3: String,
}

/// What is written, and how.
#[derive(Clone, Debug)]
pub(crate) struct ShardForm {
    pub(crate) format: Format,
    /// Bytes of a shard before they are compressed.
    pub(crate) bytes: u64,
    /// Of Parquet files.
    pub(crate) schema: SchemaRef,
}

/// Writes shards.
pub(crate) struct Shards<'o> {
    output: &'o Output,
    form: ShardForm,
    number: usize,
    open: Option<Open<'o>>,
}

/// A shard that is being written.
struct Open<'o> {
    name: String,
    documents: u64,
    /// Before they are compressed.
    bytes: u64,
    sink: Sink<'o>,
}

enum Sink<'o> {
    Plain(Counted<Upload>),
    Gzip(GzEncoder<Counted<Upload>>),
    Zstd(zstd::Encoder<'static, Counted<Upload>>),
    Rows(RowWriter<Counted<Upload>>),
    Folder(Folder<'o>),
}

impl<'o> Shards<'o> {
    /// Writes shards from a number on.
    pub(crate) fn new(output: &'o Output, form: ShardForm, number: usize) -> Shards<'o> {
        Shards {
            output,
            form,
            number,
            open: None,
        }
    }

    /// Adds a page. Gives the shard that it fills.
    pub(crate) fn push(&mut self, record: Record) -> Result<Option<ShardFile>, Error> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => Open::new(self.output, &self.form, self.number)?,
        };
        open.push(record)?;
        if open.bytes >= self.form.bytes {
            self.number += 1;
            return open.end().map(Some);
        }
        self.open = Some(open);
        Ok(None)
    }

    /// Ends the last shard.
    pub(crate) fn end(&mut self) -> Result<Option<ShardFile>, Error> {
        self.open.take().map(Open::end).transpose()
    }
}

impl<'o> Open<'o> {
    fn new(output: &'o Output, form: &ShardForm, number: usize) -> Result<Open<'o>, Error> {
        let name = form.format.shard(number);
        let failed = |error: io::Error| Error::Write(name.clone(), error);
        let upload = || Ok::<_, Error>(Counted::new(output.create(&name)?));
        let sink = match form.format {
            Format::Lines(_, Compression::None) => Sink::Plain(upload()?),
            Format::Lines(_, Compression::Gzip) => {
                Sink::Gzip(GzEncoder::new(upload()?, flate2::Compression::default()))
            }
            Format::Lines(_, Compression::Zstd) => {
                Sink::Zstd(zstd::Encoder::new(upload()?, ZSTD_LEVEL).map_err(failed)?)
            }
            Format::Parquet => {
                let writer = RowWriter::new(upload()?, &form.schema);
                Sink::Rows(writer.map_err(|error| Error::Parquet(name.clone(), error))?)
            }
            Format::Markdown | Format::Text => Sink::Folder(Folder::new(output, form.format, &name)),
        };
        Ok(Open {
            name,
            documents: 0,
            bytes: 0,
            sink,
        })
    }

    fn push(&mut self, record: Record) -> Result<(), Error> {
        let bytes = record.bytes();
        self.documents += 1;
        self.bytes += bytes;
        let written = match (&mut self.sink, record.body) {
            (Sink::Rows(writer), Body::Row(row)) => {
                let pushed = writer.push(row, bytes);
                return pushed.map_err(|error| Error::Parquet(self.name.clone(), error));
            }
            (Sink::Folder(folder), Body::Bytes(bytes)) => return folder.push(&record.row_id, &bytes),
            (Sink::Plain(sink), Body::Bytes(bytes)) => sink.write_all(&bytes),
            (Sink::Gzip(sink), Body::Bytes(bytes)) => sink.write_all(&bytes),
            (Sink::Zstd(sink), Body::Bytes(bytes)) => sink.write_all(&bytes),
            (Sink::Rows(_), Body::Bytes(_)) | (_, Body::Row(_)) => Err(io::ErrorKind::InvalidInput.into()),
        };
        written.map_err(|error| Error::Write(self.name.clone(), error))
    }

    fn end(self) -> Result<ShardFile, Error> {
        let Open {
            name,
            documents,
            sink,
            ..
        } = self;
        let failed = |error: io::Error| Error::Write(name.clone(), error);
        let counted = match sink {
            Sink::Plain(counted) => counted,
            Sink::Gzip(encoder) => encoder.finish().map_err(failed)?,
            Sink::Zstd(encoder) => encoder.finish().map_err(failed)?,
            Sink::Rows(writer) => writer
                .end()
                .map_err(|error| Error::Parquet(name.clone(), error))?,
            Sink::Folder(folder) => {
                let (bytes, digest) = folder.end();
                return Ok(ShardFile {
                    name,
                    documents,
                    bytes,
                    blake3: digest,
                });
            }
        };
        let (bytes, blake3) = (counted.bytes, counted.hasher.finalize().to_string());
        counted.sink.finish()?.wait()?;
        Ok(ShardFile {
            name,
            documents,
            bytes,
            blake3,
        })
    }
}

/// Counts and digests what is written.
struct Counted<W> {
    sink: W,
    bytes: u64,
    hasher: Hasher,
}

impl<W> Counted<W> {
    fn new(sink: W) -> Counted<W> {
        Counted {
            sink,
            bytes: 0,
            hasher: Hasher::new(),
        }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// A folder with a file for each page.
struct Folder<'o> {
    output: &'o Output,
    name: String,
    end: &'static str,
    bytes: u64,
    hasher: Hasher,
}

impl<'o> Folder<'o> {
    fn new(output: &'o Output, format: Format, name: &str) -> Folder<'o> {
        Folder {
            output,
            name: name.to_owned(),
            end: if format == Format::Markdown { "md" } else { "txt" },
            bytes: 0,
            hasher: Hasher::new(),
        }
    }

    fn push(&mut self, row_id: &str, bytes: &[u8]) -> Result<(), Error> {
        let file = format!("{row_id}.{}", self.end);
        let name = format!("{}/{file}", self.name);
        match self.output.place_of(&name) {
            // Files are many and small: the manifest is written when they are all there.
            Place::Local(_) => {
                let mut created = self.output.create_local(&name)?;
                let written = created.write_all(bytes);
                written.map_err(|error| Error::Write(name.clone(), error))?;
            }
            _ => self.output.put(&name, bytes)?,
        }
        self.bytes += bytes.len() as u64;
        self.hasher
            .update(format!("{}  {file}\n", blake3::hash(bytes)).as_bytes());
        Ok(())
    }

    fn end(self) -> (u64, String) {
        (self.bytes, self.hasher.finalize().to_string())
    }
}
