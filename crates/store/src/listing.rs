//! Listings of buckets, page by page.
//!
//! A store cuts a listing, and says so (`IsTruncated`) and how to continue: by a token, by a marker, or not at all, for a page
//! can always be requested that begins behind the last name. The client reads the token alone, so that the answer is
//! read here, too.
//!
//! - The end that a store reports is checked by one more request behind the last name, because some stores call a cut
//!   listing whole. A store that refuses this request, or answers it with names that it sent before, has no more.
//! - A page that was announced and has names, but no new one, is an error: the listing repeats itself.
//! - The order of names is that of the store, by bytes or not. Names have to rise only where a listing is cut and its
//!   store gives neither a token nor a marker: elsewhere a page behind the last name would leave some out.

use std::collections::HashSet;
use std::sync::Arc;

use futures::TryStreamExt;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{ListResult, ObjectMeta};
use xxhash_rust::xxh3::xxh3_128;

use crate::backend::Object;
use crate::page_end::{ListingEnd, Marker, PageEnd};
use crate::retry::{retried, within};
use crate::{Error, Options, keys};

/// Pages without a name that may follow each other: stores send some after many objects were removed.
const MOST_EMPTY: u32 = 1000;

/// Which names below a prefix are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    All,
    /// Objects and folders directly below it.
    One,
}

/// A request for a page.
#[derive(Clone, Debug)]
struct Next {
    from: From,
    /// Whether the store said that there is no more.
    is_check: bool,
}

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum From {
    Begin,
    Token(String),
    /// Behind a name, and at a marker for stores that know no such requests.
    Behind(String, Option<String>),
}

/// A page of a listing.
struct ListingPage {
    names: ListResult,
    token: Option<String>,
    end: ListingEnd,
}

/// All objects, and folders if they are wanted, whose keys begin with a prefix: empty, or with a slash at its end.
/// `object` is the folder that the prefix means.
pub(crate) async fn list(
    object: &Object,
    prefix: &str,
    depth: Depth,
    options: &Arc<Options>,
) -> Result<ListResult, Error> {
    let Some(client) = object.pages.client() else {
        return retried(options, || in_one(object, depth)).await;
    };
    let mut listing = Listing::new(object);
    let mut next = Next {
        from: From::Begin,
        is_check: false,
    };
    loop {
        let request = || {
            let page = page(object, client, prefix, depth, &next.from);
            within(options.stall, &object.name, page)
        };
        let page = match retried(options, request).await {
            Err(error) if next.is_check && is_no(&error) => break,
            page => page?,
        };
        match listing.take(page, &next)? {
            Some(following) => next = following,
            None => break,
        }
    }
    Ok(listing.found)
}

/// Whether a store takes no such request.
fn is_no(error: &Error) -> bool {
    !error.is_transient() || error.is_refusal()
}

/// Lists a store that has no pages.
async fn in_one(object: &Object, depth: Depth) -> Result<ListResult, Error> {
    let prefix = (object.path != Path::default()).then_some(&object.path);
    let listed = match depth {
        Depth::One => object.store.list_with_delimiter(prefix).await,
        Depth::All => {
            let objects = object.store.list(prefix).try_collect().await;
            objects.map(|objects| ListResult {
                objects,
                common_prefixes: Vec::new(),
            })
        }
    };
    listed.map_err(|error| object.error("could not list", error))
}

async fn page(
    object: &Object,
    client: &dyn PaginatedListStore,
    prefix: &str,
    depth: Depth,
    from: &From,
) -> Result<ListingPage, Error> {
    let end = PageEnd::default();
    let mut request = PaginatedListOptions {
        delimiter: (depth == Depth::One).then_some("/".into()),
        ..PaginatedListOptions::default()
    };
    request.extensions.insert(end.clone());
    match from {
        From::Begin => {}
        From::Token(token) => request.page_token = Some(token.clone()),
        From::Behind(name, marker) => {
            request.offset = Some(name.clone());
            if let Some(marker) = marker {
                request.extensions.insert(Marker(marker.clone()));
            }
        }
    }
    let prefix = (!prefix.is_empty()).then_some(prefix);
    let listed = client.list_paginated(prefix, request).await;
    let listed = listed.map_err(|error| object.error("could not list", error))?;
    let end = end.0.lock().clone();
    if end.is_error {
        let detail = "the answer is an error, with the status of a listing".to_owned();
        return Err(Error::remote("could not list", &object.name, detail));
    }
    Ok(ListingPage {
        names: listed.result,
        token: listed.page_token.filter(|token| !token.is_empty()),
        end,
    })
}

/// What was listed.
struct Listing<'a> {
    object: &'a Object,
    found: ListResult,
    /// Digests of the names.
    seen: HashSet<u128>,
    /// The last name, as the store knows it.
    last: Option<String>,
    /// Pages without a name since then.
    empty: u32,
}

impl Listing<'_> {
    fn new(object: &Object) -> Listing<'_> {
        Listing {
            object,
            found: ListResult {
                objects: Vec::new(),
                common_prefixes: Vec::new(),
            },
            seen: HashSet::new(),
            last: None,
            empty: 0,
        }
    }

    /// Adds the names of a page, and says which page is next; `None` at the end.
    fn take(&mut self, page: ListingPage, request: &Next) -> Result<Option<Next>, Error> {
        let does_rise = rises(&page.names.objects);
        let last = last(&page.names);
        let (is_empty, is_new) = (last.is_none(), self.add(page.names));
        if !is_new && request.is_check {
            return Ok(None);
        }
        if !is_new && !is_empty {
            return Err(self.repeats());
        }
        self.last = last.or(self.last.take());
        let following = self.following(page.token, page.end, does_rise)?;
        self.empty = if is_empty { self.empty + 1 } else { 0 };
        match following {
            Some(next) if is_empty && (next.from == request.from || self.empty > MOST_EMPTY) => {
                Err(self.repeats())
            }
            following => Ok(following),
        }
    }

    /// Adds names, each once. Returns whether there was a new one.
    fn add(&mut self, names: ListResult) -> bool {
        let before = self.seen.len();
        let mut is_new = |path: &Path| self.seen.insert(xxh3_128(path.as_ref().as_bytes()));
        let objects = names.objects.into_iter();
        self.found
            .objects
            .extend(objects.filter(|meta| is_new(&meta.location)));
        let folders = names.common_prefixes.into_iter();
        self.found.common_prefixes.extend(folders.filter(is_new));
        self.seen.len() > before
    }

    /// The request after a page.
    fn following(
        &self,
        token: Option<String>,
        end: ListingEnd,
        does_rise: bool,
    ) -> Result<Option<Next>, Error> {
        let is_check = !end.is_cut.unwrap_or(token.is_some() || end.marker.is_some());
        let from = match (token, self.last.clone()) {
            (Some(token), _) => From::Token(token),
            // Azure's listings have no other end than that there is no token.
            _ if is_check && self.object.name.starts_with("az://") => return Ok(None),
            (None, Some(last)) if is_check => From::Behind(last, None),
            (None, Some(last)) if end.marker.is_some() || does_rise => {
                From::Behind(last.clone(), Some(end.marker.unwrap_or(last)))
            }
            (None, None) if is_check => return Ok(None),
            _ => return Err(self.error("it is cut, and the store does not say where it continues")),
        };
        Ok(Some(Next { from, is_check }))
    }

    fn repeats(&self) -> Error {
        self.error("the store sends the same page again and again")
    }

    fn error(&self, detail: &str) -> Error {
        Error::Listing(self.object.name.clone(), detail.to_owned())
    }
}

/// The last name of a page, as the store knows it.
fn last(names: &ListResult) -> Option<String> {
    let key = |meta: &ObjectMeta| keys::key_of(&meta.location).0;
    let object = names.objects.last().map(key);
    let folder = |path: &Path| format!("{}/", keys::key_of(path).0.trim_end_matches('/'));
    object.max(names.common_prefixes.last().map(folder))
}

/// Whether names rise, by their bytes or by their UTF-16 codes, as stores in Java and C# sort them.
fn rises(objects: &[ObjectMeta]) -> bool {
    let key = |meta: &ObjectMeta| keys::key_of(&meta.location).0;
    objects.is_sorted_by_key(key)
        || objects.is_sorted_by_key(|meta| key(meta).encode_utf16().collect::<Vec<_>>())
}
