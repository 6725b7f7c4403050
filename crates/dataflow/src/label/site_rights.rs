//! What the files of sites state about the rights to their pages.
//!
//! The files of a host are records that stand before its pages. Where a unit begins between the two, they are looked up.

use gleaner_corpus::{DocumentRow, Millis, RightsRow};
use gleaner_curate::Agents;
use gleaner_curate::rights::{SiteFiles, SiteRights};
use xxhash_rust::xxh3::xxh3_128;

use crate::data::key::{self, KeyRange};
use crate::data::packing::pack;
use crate::data::rights_row::rights_row;
use crate::data::site_file::SiteFile;
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::sorted_runs::{Merge, Runs};

/// Reads the files of one host after the other: one a worker.
pub(crate) struct HostRights {
    agents: Agents,
    /// The keys of the files of the host.
    keys: KeyRange,
    host: String,
    files: SiteFiles,
    /// What they state, as soon as a page asks.
    read: Option<SiteRights>,
}

impl HostRights {
    pub(crate) fn new(agents: Agents) -> HostRights {
        HostRights {
            agents,
            keys: KeyRange::default(),
            host: String::new(),
            files: SiteFiles::default(),
            read: None,
        }
    }

    /// Begins a unit whose keys begin here. If the files of its first host stand in a unit before, gives their digest: what the rows
    /// of the unit follow from, and its records do not have.
    pub(crate) fn begin(&mut self, start: &[u8], pages: &Runs) -> Result<Option<u128>, Error> {
        let Some(keys) = key::site_files_before(start) else {
            return Ok(None);
        };
        if keys != self.keys {
            let mut records = Merge::new(pages, &keys.start, &keys.end)?;
            self.begin_host(keys);
            while let Some(record) = records.next()? {
                let StagedPage::SiteFile(file) = StagedPage::take(record.value)? else {
                    return Err(Error::Damaged);
                };
                self.add(*file);
            }
        }
        let mut bytes = Vec::new();
        pack(&self.files, &mut bytes);
        Ok((!self.files.is_empty()).then(|| xxh3_128(&bytes)))
    }

    /// Takes the next file, which comes by key.
    pub(crate) fn take(&mut self, key: &[u8], file: SiteFile) {
        if !(*self.keys.start <= *key && *key < *self.keys.end) {
            self.begin_host(key::site_files(key));
        }
        self.add(file);
    }

    /// What the files of its site state about a page.
    pub(crate) fn rows(&mut self, key: &[u8], document: &DocumentRow) -> Vec<RightsRow> {
        let HostRights {
            agents,
            keys,
            host,
            files,
            read,
        } = self;
        if files.is_empty() || !key::has_site_files(key, keys) {
            return Vec::new();
        }
        let site = read.get_or_insert_with(|| SiteRights::new(host, files, agents));
        let stated = site.rows_of(&document.url, agents).into_iter();
        let rows = stated.filter_map(|stated| {
            let source = files.source(&stated)?;
            let source = (&*source.record_id, source.time.map(Millis));
            Some(rights_row(document, stated, source))
        });
        rows.collect()
    }

    fn begin_host(&mut self, keys: KeyRange) {
        self.keys = keys;
        self.files = SiteFiles::default();
        self.read = None;
    }

    fn add(&mut self, SiteFile { host, file, record }: SiteFile) {
        self.host = host;
        self.files.add(file, record);
        self.read = None;
    }
}
