//! Opens the SQLite store by its URL.

use super::StoreUrl;
use queue_core::{Error, Limits, Result, Storage};
use queue_sqlite::{Create, SqliteOptions, SqliteStorage, Synchronous};
use std::sync::Arc;

/// The options besides the limits.
const OPTIONS: [&str; 5] = ["synchronous", "create", "busy_timeout", "poll_interval", "clock_step_max"];

pub(super) async fn open(url: StoreUrl) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(SqliteStorage::open(options(&url)?).await?))
}

#[cfg(feature = "worker")]
pub(super) fn diagnose_disk(url: &StoreUrl) -> Vec<queue_core::Finding> {
    options(url).map(|options| options.diagnose_disk()).unwrap_or_default()
}

pub(super) fn options(url: &StoreUrl) -> Result<SqliteOptions> {
    if url.path.is_empty() {
        return Err(Error::invalid(
            "open",
            "`sqlite:` needs a path; for a store without a file use `memory:`",
        ));
    }
    let mut options = SqliteOptions::new(&url.path);
    let mut limits = Limits::default();
    for option in url.options(&OPTIONS)? {
        options = match option.key() {
            "synchronous" => {
                let choices = [("full", Synchronous::Full), ("normal", Synchronous::Normal)];
                options.synchronous(option.one_of(&choices)?)
            }
            "create" => {
                options.create(option.one_of(&[("missing", Create::IfMissing), ("never", Create::Never)])?)
            }
            "busy_timeout" => options.busy_timeout(option.length()?),
            "poll_interval" => options.poll_interval(option.length()?),
            "clock_step_max" => options.clock_step_max(option.length()?),
            _ => {
                limits = option.limit(limits)?.unwrap_or(limits);
                options
            }
        };
    }
    Ok(options.limits(limits))
}
