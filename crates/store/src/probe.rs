//! Asks what is at a place: its size and its version, without reading it.

use std::path::Path as LocalPath;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt};

use crate::backend::Object;
use crate::purpose::Purpose;
use crate::retry::{retried, within};
use crate::{Error, Kind, Options, Place, Shard, Store, length};

/// The shard at `place`, which messages call `location`. Until it has another name, that is its name.
pub(crate) async fn shard(store: &Store, place: &Place, location: &str) -> Result<Shard, Error> {
    if let Place::Local(path) = place {
        return local(path, location);
    }
    let object = store.object(place, Purpose::Read)?;
    let meta = remote(&object, store.options()).await?;
    Ok(of_meta(place, location, Kind::from_named(location), &meta))
}

/// A shard from a store's data about an object.
pub(crate) fn of_meta(place: &Place, location: &str, kind: Kind, meta: &ObjectMeta) -> Shard {
    Shard {
        name: location.to_owned(),
        location: location.to_owned(),
        place: place.clone(),
        kind,
        size: length::known(meta.size),
        version: version(meta),
        named: false,
        member: None,
    }
}

/// A local file, which may also be a pipe; then it has neither size nor version.
pub(crate) fn local(path: &LocalPath, location: &str) -> Result<Shard, Error> {
    let meta = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let is_link = path.is_symlink();
            let hint = if is_link {
                " (it is a link that leads nowhere)"
            } else {
                ""
            };
            Error::Missing(location.to_owned(), hint.to_owned())
        }
        _ => Error::io("could not read", path)(error),
    })?;
    let (size, version) = local_version(&meta);
    Ok(Shard {
        name: location.to_owned(),
        location: location.to_owned(),
        place: Place::Local(path.to_owned()),
        kind: Kind::from_named(location),
        size,
        version,
        named: false,
        member: None,
    })
}

/// Length and time of change, in nanoseconds since 1970, of a regular file.
pub(crate) fn local_version(meta: &std::fs::Metadata) -> (Option<u64>, Option<String>) {
    if !meta.is_file() {
        return (None, None);
    }
    let nanos = |time: SystemTime| Some(time.duration_since(UNIX_EPOCH).ok()?.as_nanos().to_string());
    (Some(meta.len()), meta.modified().ok().and_then(nanos))
}

/// The ETag without what differs between the answers of one server (quotes, weakness), else the
/// time of the last change; `None` if the server sends neither.
pub(crate) fn version(meta: &ObjectMeta) -> Option<String> {
    if let Some(tag) = &meta.e_tag {
        return Some(tag.trim_start_matches("W/").trim_matches('"').to_owned());
    }
    let millis = meta.last_modified.timestamp_millis();
    (millis > 0).then(|| millis.to_string())
}

/// Size and version of an object. From web servers that refuse HEAD, or send no length, this requests the
/// first byte; those that send whole files only, for the file. The length of a meta may be none
/// ([`length::known`]).
pub(crate) async fn remote(object: &Object, options: &Arc<Options>) -> Result<ObjectMeta, Error> {
    let head = retried(options, || within(options.stall, &object.name, head(object))).await;
    match head {
        Err(error) if object.web => {
            // A server that was busy all the time has had its tries.
            let once = Arc::new(Options {
                retries: 0,
                ..Options::clone(options)
            });
            let tries = if error.is_transient() { &once } else { options };
            by_get(object, tries).await
        }
        Ok(meta) if object.web && length::known(meta.size).unwrap_or(0) == 0 => {
            by_get(object, options).await.or(Ok(meta))
        }
        other => other,
    }
}

/// Size and version from a web server's answer to GET.
pub(crate) async fn by_get(object: &Object, options: &Arc<Options>) -> Result<ObjectMeta, Error> {
    let range = Some(GetRange::Bounded(0..1));
    match within(options.stall, &object.name, get(object, range)).await {
        Ok(meta) => Ok(meta),
        Err(_) => retried(options, || within(options.stall, &object.name, get(object, None))).await,
    }
}

pub(crate) async fn head(object: &Object) -> Result<ObjectMeta, Error> {
    object
        .store
        .head(&object.path)
        .await
        .map_err(|error| object.error("could not find", error))
}

async fn get(object: &Object, range: Option<GetRange>) -> Result<ObjectMeta, Error> {
    let options = GetOptions {
        range,
        ..GetOptions::default()
    };
    let answer = object.store.get_opts(&object.path, options).await;
    answer
        .map(|answer| answer.meta)
        .map_err(|error| object.error("could not read", error))
}
