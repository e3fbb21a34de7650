//! Opens the SQLite store by its URL.

use super::StoreUrl;
use queue_core::{Error, Result, Storage};
use queue_sqlite::{Create, SqliteOptions, SqliteStorage, Synchronous};
use std::sync::Arc;

pub(super) async fn open(url: StoreUrl) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(SqliteStorage::open(options(&url)?).await?))
}

#[cfg(feature = "worker")]
pub(super) fn diagnose_disk(url: &StoreUrl) -> Vec<queue_core::Finding> {
    options(url).map(|options| options.diagnose_disk()).unwrap_or_default()
}

fn options(url: &StoreUrl) -> Result<SqliteOptions> {
    if url.path.is_empty() {
        return Err(Error::invalid(
            "open",
            "`sqlite:` needs a path; for a store without a file use `memory:`",
        ));
    }
    let mut options = SqliteOptions::new(&url.path);
    for (key, value) in url.options(&["synchronous", "create"])? {
        options = match (key.as_str(), value.as_str()) {
            ("synchronous", "full") => options.synchronous(Synchronous::Full),
            ("synchronous", "normal") => options.synchronous(Synchronous::Normal),
            ("create", "missing") => options.create(Create::IfMissing),
            ("create", "never") => options.create(Create::Never),
            ("synchronous", _) => return Err(Error::invalid("open", "`synchronous` is `full` or `normal`")),
            _ => return Err(Error::invalid("open", "`create` is `missing` or `never`")),
        };
    }
    Ok(options)
}
