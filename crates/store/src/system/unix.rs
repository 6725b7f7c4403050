//! Unix.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Opening must not wait: a pipe may stand where a file was. On Windows there are no pipes in folders.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(libc::O_NONBLOCK)
}

/// A symbolic link is not followed. On Windows the link itself is opened.
pub(crate) fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
}

/// While the file is open, it stays at its path. Unix has no such option: see [`is_at`].
pub(crate) fn kept_in_place(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Whether a file that was opened by [`kept_in_place`] is still the one at its path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Removes and closes such a file, in the order in which no other process can lose its own. Errors are ignored.
pub(crate) fn release(file: File, path: &Path) {
    drop(std::fs::remove_file(path));
    drop(file);
}

/// Temporary files are private by default on Unix; this one becomes an output. The process's mask still applies.
pub(crate) fn readable_by_all<'b, 'n, 's>(
    builder: &'b mut tempfile::Builder<'n, 's>,
) -> &'b mut tempfile::Builder<'n, 's> {
    builder.permissions(PermissionsExt::from_mode(0o666))
}

/// Makes the names in a folder durable. The file systems of Windows do so by themselves.
pub(crate) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The path that a file URL has after its host. On Windows a drive has no slash before it.
pub(crate) fn path_of_url(path: &str) -> &str {
    path
}

/// A path as tables and messages have it. On Windows it has `/`, too, so that the tables are the same everywhere.
pub(crate) fn typed(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// Bytes as a name. On Windows names are Unicode: other bytes become U+FFFD.
pub(crate) fn name(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

/// Whether an error means that symbolic links lead to each other.
pub(crate) fn is_loop(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}
