//! Stores by URL.

#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg_attr(
    not(any(feature = "memory", feature = "sqlite")),
    expect(dead_code, reason = "without a store, only the scheme is looked at")
)]
mod store_url;

use queue_core::{Error, Result, Storage};
use std::sync::Arc;
use store_url::StoreUrl;

/// The schemes of this build.
const SCHEMES: &[&str] = &[
    #[cfg(feature = "memory")]
    "memory:",
    #[cfg(feature = "sqlite")]
    "sqlite:",
];

/// Opens the store that a URL names.
///
/// | URL | store |
/// |---|---|
/// | `memory:` | a fresh store in this process (feature `memory`) |
/// | `memory:NAME` | the store of that name in this process; it lives until the process ends |
/// | `sqlite:PATH` | a file, made if it is missing (feature `sqlite`) |
/// | `sqlite:PATH?synchronous=normal` | the newest writes may be lost in a power cut, which makes each faster |
/// | `sqlite:PATH?create=never` | an error if the file is missing |
///
/// `//` may follow the scheme: `sqlite:///var/lib/jobs.db` and `sqlite:/var/lib/jobs.db` are the same file. In a path,
/// `%3F` stands for `?` and `%25` for `%`; every other character may stand for itself.
///
/// Each call gives a handle of its own; closing one disturbs no other.
///
/// # Errors
/// `Invalid` for a URL that is malformed or of a scheme that this build does not have, and the errors of the store.
/// No message repeats the URL, since it may hold a password.
///
/// A dropped future leaves no handle; a file may have been made.
///
/// ```
/// # #[cfg(feature = "memory")] {
/// # tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(async {
/// let storage = queue::open("memory:").await?;
/// assert_eq!(storage.capabilities().name, "memory");
///
/// let error = queue::open("mysql://localhost").await.expect_err("no such store");
/// assert!(error.to_string().contains("memory:"), "{error}");
/// # Ok::<(), queue::Error>(())
/// # }).expect("opens");
/// # }
/// ```
pub async fn open(url: &str) -> Result<Arc<dyn Storage>> {
    let url = StoreUrl::parse(url)?;
    match url.scheme.as_str() {
        #[cfg(feature = "memory")]
        "memory" => memory::open(url),
        #[cfg(feature = "sqlite")]
        "sqlite" => sqlite::open(url).await,
        scheme => Err(unknown_scheme(scheme)),
    }
}

fn unknown_scheme(scheme: &str) -> Error {
    let known = SCHEMES.join(", ");
    let advice = match scheme {
        "memory" | "sqlite" => format!("enable the feature `{scheme}` of the crate `queue`"),
        _ if known.is_empty() => "enable the feature of a store".to_owned(),
        _ => format!("use one of {known}"),
    };
    Error::invalid("open", format!("this build has no store for `{scheme}:`; {advice}"))
}
