//! What is wrong with a file that says who may do what.

use std::{io, path::PathBuf};

/// Why a file of tokens or keys, or a certificate, cannot be used. The message names the file and
/// what to do, and never contains what the file holds.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Others may read or replace the file, so what it holds is no secret.
    #[error("{}: {why}", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Who may do what, and how to end it.
        why: String,
    },
    /// The file holds something else.
    #[error("{}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        why: String,
    },
    /// The options contradict each other, or would expose the service to every caller.
    #[error("{0}")]
    Refused(String),
}
