//! The keys of receipts and sessions of a server.
//!
//! A server that makes up a key at each start makes every job run twice that was held over its
//! restart. So a store in a file or a directory has its keys in a file beside it.

use crate::exit::CliError;
use queue::SystemRng;
use queue_http::ReceiptKeys;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What follows the name of the store in that of its key file.
const SUFFIX: &str = ".keys.json";

/// The keys of a server, and the file that has them, unless they are made up.
pub(super) struct Keys {
    pub(super) keys: Arc<ReceiptKeys>,
    pub(super) file: Option<PathBuf>,
}

impl Keys {
    /// Reads the file that was named, or the one beside the store, which is made if it is missing.
    /// A store without a path gets a key made up now.
    pub(super) fn of(named: Option<PathBuf>, store: Option<&Path>) -> Result<Self, CliError> {
        let (keys, file) = match (named, store.and_then(beside)) {
            (Some(named), _) => (ReceiptKeys::load(&named)?, Some(named)),
            (None, Some(own)) => (ReceiptKeys::load_or_create(&own, &SystemRng)?, Some(own)),
            (None, None) => (ReceiptKeys::generate(&SystemRng), None),
        };
        Ok(Self { keys: Arc::new(keys), file })
    }
}

/// The key file of a store that is there. All names of a store, through links too, lead to the same
/// file.
fn beside(store: &Path) -> Option<PathBuf> {
    let store = fs::canonicalize(store).ok()?;
    let mut name = store.file_name()?.to_owned();
    name.push(SUFFIX);
    Some(store.with_file_name(name))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn all_names_of_a_store_lead_to_the_same_key_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let store = root.join("jobs.db");
        assert_eq!(beside(&store), None, "it is not there");
        fs::write(&store, "").unwrap();
        let expected = Some(root.join("jobs.db.keys.json"));
        assert_eq!(beside(&store), expected);
        fs::create_dir(root.join("links")).unwrap();
        std::os::unix::fs::symlink(&store, root.join("links/other.db")).unwrap();
        assert_eq!(beside(&root.join("links/other.db")), expected);
        assert_eq!(beside(&root.join("links/../jobs.db")), expected);
    }

    #[test]
    fn a_store_without_a_path_has_a_key_made_up() {
        let keys = Keys::of(None, None).ok().unwrap();
        assert!(keys.file.is_none() && !keys.keys.is_shared());
    }
}
