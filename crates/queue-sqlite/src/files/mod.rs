//! Whether the path still leads to the files that SQLite has open. SQLite itself never asks: it
//! goes on writing to a file that was removed or renamed, and every write would be acknowledged and
//! lost.
//!
//! Absent on purpose: a descriptor of our own to ask about. Closing it would cost the process its
//! locks on the file, which POSIX keeps by process and file.

mod file_fate;
mod file_guard;
mod file_identity;
mod open_files;

use file_fate::FileFate;
pub(crate) use file_guard::FileGuard;
pub(crate) use file_identity::FileIdentity;
pub(crate) use open_files::OpenFiles;
