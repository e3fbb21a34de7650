//! Opens the files store by its URL.

use super::StoreUrl;
use queue_core::{Error, Result, Storage};
use queue_fs::{Create, Flush, FsOptions, FsStorage};
use std::{sync::Arc, time::Duration};

pub(super) async fn open(url: StoreUrl) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(FsStorage::open(options(&url)?).await?))
}

#[cfg(feature = "worker")]
pub(super) fn diagnose_disk(url: &StoreUrl) -> Vec<queue_core::Finding> {
    options(url).map(|options| options.diagnose_disk()).unwrap_or_default()
}

fn options(url: &StoreUrl) -> Result<FsOptions> {
    if url.path.is_empty() {
        return Err(Error::invalid("open", "`file:` needs the path of a directory"));
    }
    let mut options = FsOptions::new(&url.path);
    for (key, value) in url.options(&["flush", "create"])? {
        options = match (key.as_str(), value.as_str()) {
            ("flush", value) => options.flush(flush(value)?),
            ("create", "missing") => options.create(Create::IfMissing),
            ("create", "never") => options.create(Create::Never),
            _ => return Err(Error::invalid("open", "`create` is `missing` or `never`")),
        };
    }
    Ok(options)
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
