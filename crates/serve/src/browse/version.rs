//! A version of a corpus, and what was read of it once.

use std::any::{Any, TypeId};
use std::sync::Arc;

use gleaner_corpus::{Corpus, Marker, VersionTables};
use gleaner_store::Output;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::Error;

/// A complete version.
pub(crate) struct Version {
    pub(crate) output: Output,
    pub(crate) marker: Marker,
    pub(crate) tables: VersionTables,
    /// What was read once, by its type.
    known: Mutex<FxHashMap<TypeId, Once>>,
}

type Once = Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>;

impl Version {
    /// Finds the files of a version.
    ///
    /// # Errors
    /// What names them is damaged.
    pub(crate) fn open(output: &Output, marker: Marker) -> Result<Version, gleaner_corpus::Error> {
        Ok(Version {
            tables: Corpus::version_tables(output, Some(marker.version))?,
            output: output.clone(),
            marker,
            known: Mutex::default(),
        })
    }

    /// The number of documents.
    pub(crate) fn documents(&self) -> u64 {
        let files = self.tables.files.get("documents").into_iter().flatten();
        files.map(|file| file.rows.unwrap_or(0)).sum()
    }

    /// Whether there is such a table.
    pub(crate) fn has(&self, table: &str) -> bool {
        self.tables.files.contains_key(table)
    }

    /// What is there of a type, or what is read now: others who want it wait meanwhile.
    pub(crate) fn once<T: Any + Send + Sync>(
        &self,
        read: impl FnOnce() -> Result<T, Error>,
    ) -> Result<Arc<T>, Error> {
        let place = Arc::clone(self.known.lock().entry(TypeId::of::<T>()).or_default());
        let mut place = place.lock();
        if let Some(there) = place.clone().and_then(|there| there.downcast().ok()) {
            return Ok(there);
        }
        let there = Arc::new(read()?);
        *place = Some(Arc::clone(&there) as Arc<dyn Any + Send + Sync>);
        Ok(there)
    }
}
