//! The step `label`: from pages beside their sites to rows of the tables, unit by unit.

mod captures;
mod chunk_files;
pub(crate) mod cut;
pub(crate) mod difference;
pub(crate) mod evidence;
pub(crate) mod labelling;
mod measured_before;
mod page;
pub(crate) mod site_rights;
pub(crate) mod step;
mod unit_labeller;
mod unit_rows;
mod unit_sites;
