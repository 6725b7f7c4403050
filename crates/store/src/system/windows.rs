//! Windows.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

/// FILE_SHARE_READ and FILE_SHARE_WRITE, without FILE_SHARE_DELETE.
const NOT_REMOVED: u32 = 0x1 | 0x2;

/// FILE_FLAG_OPEN_REPARSE_POINT.
const LINK_ITSELF: u32 = 0x0020_0000;

/// Opening must not wait: a pipe may stand where a file was. On Windows there are no pipes in folders.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// A symbolic link is not followed. On Windows the link itself is opened.
pub(crate) fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(LINK_ITSELF)
}

/// While the file is open, it stays at its path. Unix has no such option: see [`is_at`].
pub(crate) fn kept_in_place(options: &mut OpenOptions) -> &mut OpenOptions {
    options.share_mode(NOT_REMOVED)
}

/// Whether a file that was opened by [`kept_in_place`] is still the one at its path.
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Removes and closes such a file, in the order in which no other process can lose its own. Errors are ignored.
pub(crate) fn release(file: File, path: &Path) {
    drop(file);
    drop(std::fs::remove_file(path));
}

/// Temporary files are private by default on Unix; this one becomes an output. The process's mask still applies.
pub(crate) fn readable_by_all<'b, 'n, 's>(
    builder: &'b mut tempfile::Builder<'n, 's>,
) -> &'b mut tempfile::Builder<'n, 's> {
    builder
}

/// Makes the names in a folder durable. The file systems of Windows do so by themselves.
pub(crate) fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The path that a file URL has after its host. On Windows a drive has no slash before it.
pub(crate) fn path_of_url(path: &str) -> &str {
    let drive = path
        .strip_prefix('/')
        .filter(|path| path.as_bytes().get(1) == Some(&b':'));
    drive.unwrap_or(path)
}

/// A path as tables and messages have it. On Windows it has `/`, too, so that the tables are the same everywhere.
pub(crate) fn typed(path: &str) -> Cow<'_, str> {
    // In paths that begin so `/` is a letter.
    match path.contains('\\') && !path.starts_with(r"\\?\") {
        true => Cow::Owned(path.replace('\\', "/")),
        false => Cow::Borrowed(path),
    }
}

/// Bytes as a name. On Windows names are Unicode: other bytes become U+FFFD.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(name) => Cow::Borrowed(OsStr::new(name)),
        Cow::Owned(name) => Cow::Owned(name.into()),
    }
}

/// Whether an error means that symbolic links lead to each other (ERROR_CANT_RESOLVE_FILENAME).
pub(crate) fn is_loop(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(1921)
}
