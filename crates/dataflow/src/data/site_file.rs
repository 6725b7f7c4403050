//! A file of a site about rights (robots.txt, tdmrep.json, ai.txt), which waits before the pages of its host.

use gleaner_curate::rights::{RightsFile, RightsFileRecord};
use serde::{Deserialize, Serialize};

/// A capture of such a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SiteFile {
    pub(crate) host: String,
    pub(crate) file: RightsFile,
    pub(crate) record: RightsFileRecord,
}
