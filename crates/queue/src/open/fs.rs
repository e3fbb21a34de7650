//! Opens the files store by its URL.

use super::StoreUrl;
use queue_core::{Error, Limits, Result, Storage};
use queue_fs::{Create, Flush, FsOptions, FsStorage};
use std::{sync::Arc, time::Duration};

/// The options besides the limits.
const OPTIONS: [&str; 6] =
    ["flush", "create", "busy_timeout", "poll_interval", "clock_step_max", "memory_budget_bytes"];

pub(super) async fn open(url: StoreUrl) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(FsStorage::open(options(&url)?).await?))
}

#[cfg(feature = "worker")]
pub(super) fn diagnose_disk(url: &StoreUrl) -> Vec<queue_core::Finding> {
    options(url).map(|options| options.diagnose_disk()).unwrap_or_default()
}

pub(super) fn options(url: &StoreUrl) -> Result<FsOptions> {
    if url.path.is_empty() {
        return Err(Error::invalid("open", "`file:` needs the path of a directory"));
    }
    let mut options = FsOptions::new(&url.path);
    let mut limits = Limits::default();
    for option in url.options(&OPTIONS)? {
        options = match option.key() {
            "flush" => options.flush(flush(option.value())?),
            "create" => {
                options.create(option.one_of(&[("missing", Create::IfMissing), ("never", Create::Never)])?)
            }
            "busy_timeout" => options.busy_timeout(option.length()?),
            "poll_interval" => options.poll_interval(option.length()?),
            "clock_step_max" => options.clock_step_max(option.length()?),
            "memory_budget_bytes" => options.memory_budget_bytes(option.bytes()?),
            _ => {
                limits = option.limit(limits)?.unwrap_or(limits);
                options
            }
        };
    }
    Ok(options.limits(limits))
}

fn flush(value: &str) -> Result<Flush> {
    let millis = || value.strip_suffix("ms").and_then(|millis| millis.parse().ok());
    match value {
        "always" => Ok(Flush::Always),
        "never" => Ok(Flush::Never),
        _ => millis()
            .map(|millis| Flush::Every(Duration::from_millis(millis)))
            .ok_or_else(|| Error::invalid("open", "`flush` is `always`, `never`, or a time such as `100ms`")),
    }
}
