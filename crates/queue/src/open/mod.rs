//! Opens a store by its URL.

#[cfg(feature = "fs")]
mod fs;
#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "remote")]
mod remote;
#[cfg(all(
    test,
    feature = "fs",
    feature = "postgres",
    feature = "redis",
    feature = "remote",
    feature = "sqlite"
))]
mod spellings;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg_attr(
    not(any(feature = "fs", feature = "memory", feature = "sqlite")),
    expect(dead_code, reason = "without a store, only the scheme is looked at")
)]
mod store_url;

use queue_core::{Error, Result, Storage};
use std::{path::PathBuf, sync::Arc};
use store_url::StoreUrl;

/// The schemes of the stores in this build.
const SCHEMES: &[&str] = &[
    #[cfg(feature = "fs")]
    "file:",
    #[cfg(feature = "memory")]
    "memory:",
    #[cfg(feature = "postgres")]
    "postgres:",
    #[cfg(feature = "redis")]
    "redis:",
    #[cfg(feature = "remote")]
    "https:",
    #[cfg(feature = "sqlite")]
    "sqlite:",
];

/// Opens the store that a URL names.
///
/// | URL | store |
/// |---|---|
/// | `file:DIRECTORY` | a directory, made if it is missing (feature `fs`, on Unix) |
/// | `file:DIRECTORY?flush=never` | writes are faster, but a power cut may lose the newest; `flush=100ms` bounds that loss by time |
/// | `file:DIRECTORY?create=never` | an error if the directory is missing |
/// | `memory:` | a new store in this process (feature `memory`) |
/// | `memory:NAME` | the store of that name in this process; it lives until the process ends |
/// | `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` | tables in a schema of a PostgreSQL database, by default `queue`; the other parameters go to the driver (feature `postgres`) |
/// | `postgres://...?sslmode=verify-full&sslrootcert=FILE` | the same, encrypted, with your own certificate authority; `sslcert` and `sslkey` for a client certificate (feature `tls`) |
/// | `redis://USER:PASSWORD@HOST:PORT/DB?namespace=NAME` | keys of a Redis or Valkey server that begin with the namespace, by default `jq` (feature `redis`) |
/// | `redis+cluster://HOST:PORT,HOST:PORT` | the same on a Cluster |
/// | `redis+sentinel://HOST:PORT,HOST:PORT/DB?service=NAME` | the same on the master that Sentinels name |
/// | `rediss://..`, `rediss+cluster://..`, `rediss+sentinel://..` | the same, encrypted; `ssl_ca_certs=FILE` for your own certificate authority, `ssl_certfile` and `ssl_keyfile` for a client certificate (feature `tls`) |
/// | `redis+unix:PATH?db=DB&user=USER&pass=PASSWORD` | the same on a Unix socket |
/// | `https://HOST/?token-file=FILE` | the store behind a server of the same build (features `remote` and `tls`) |
/// | `http://HOST/`, `http+unix:PATH` | the same, not encrypted, or on a Unix socket |
/// | `sqlite:PATH` | a file, made if it is missing (feature `sqlite`) |
/// | `sqlite:PATH?synchronous=normal` | writes are faster, but a power cut may lose the newest |
/// | `sqlite:PATH?create=never` | an error if the file is missing or holds no queue |
///
/// `//` may follow the scheme: `sqlite:///var/lib/jobs.db` and `sqlite:/var/lib/jobs.db` are the
/// same file. In a path, write `%3F` for `?` and `%25` for `%`; no other character needs to be
/// encoded. In a user or a password of a server, encode `#`, `/`, `?`, `@` and `%`.
///
/// Every other option of a store is spelled in its URL as its method is named, `busy_timeout=10s`;
/// the page of the store lists them.
///
/// Each call returns a handle of its own; closing one does not affect the others.
///
/// # Errors
/// `Invalid` for a URL that is malformed or of a scheme that this build does not have, and the
/// errors of the store. No message repeats the URL, since it may hold a password.
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
    let parsed = StoreUrl::parse(url)?;
    match parsed.scheme.as_str() {
        #[cfg(feature = "fs")]
        "file" => fs::open(parsed).await,
        #[cfg(feature = "memory")]
        "memory" => memory::open(parsed),
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => postgres::open(url).await,
        #[cfg(feature = "redis")]
        "redis" | "rediss" | "redis+cluster" | "rediss+cluster" | "redis+sentinel" | "rediss+sentinel"
        | "redis+unix" | "valkey+unix" | "unix" => redis::open(url).await,
        #[cfg(feature = "remote")]
        "http" | "https" | "http+unix" => remote::open(url).await,
        #[cfg(feature = "sqlite")]
        "sqlite" => sqlite::open(parsed).await,
        scheme => Err(unknown_scheme(scheme)),
    }
}

/// The file or directory that holds the store of a URL, for a program that keeps something beside
/// it. `None` for a store elsewhere, for another scheme, and for a URL that is malformed.
///
/// ```
/// assert_eq!(queue::store_path("sqlite:jobs.db?create=never"), Some("jobs.db".into()));
/// assert_eq!(queue::store_path("postgres://db.internal/jobs"), None);
/// ```
pub fn store_path(url: &str) -> Option<PathBuf> {
    let StoreUrl { scheme, path, .. } = StoreUrl::parse(url).ok()?;
    (matches!(&*scheme, "file" | "sqlite") && !path.is_empty()).then(|| path.into())
}

/// The findings about the disk of a store that keeps files, which is not opened; none for others.
#[cfg(feature = "worker")]
pub(crate) fn diagnose_disk(url: &str) -> Vec<queue_core::Finding> {
    let Ok(parsed) = StoreUrl::parse(url) else { return Vec::new() };
    match parsed.scheme.as_str() {
        #[cfg(feature = "fs")]
        "file" => fs::diagnose_disk(&parsed),
        #[cfg(feature = "sqlite")]
        "sqlite" => sqlite::diagnose_disk(&parsed),
        _ => Vec::new(),
    }
}

fn unknown_scheme(scheme: &str) -> Error {
    let known = SCHEMES.join(", ");
    let advice = match feature_of(scheme) {
        Some(feature) => format!("enable the feature `{feature}` of the package `queue-jobs`"),
        None if known.is_empty() => "enable the feature of a store".to_owned(),
        None => format!("use one of {known}"),
    };
    Error::invalid("open", format!("this build has no store for `{scheme}:`; {advice}"))
}

/// The feature that adds the store of a scheme, for every scheme that [`open`] knows.
fn feature_of(scheme: &str) -> Option<&'static str> {
    Some(match scheme {
        "file" => "fs",
        "memory" => "memory",
        "postgres" | "postgresql" => "postgres",
        "redis" | "rediss" | "redis+cluster" | "rediss+cluster" | "redis+sentinel" | "rediss+sentinel"
        | "redis+unix" | "valkey+unix" | "unix" => "redis",
        "http" | "https" | "http+unix" => "remote",
        "sqlite" => "sqlite",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::unknown_scheme;

    #[test]
    fn a_scheme_that_this_build_lacks_names_the_feature_that_brings_it() {
        for (scheme, feature) in [
            ("file", "`fs`"),
            ("memory", "`memory`"),
            ("postgres", "`postgres`"),
            ("postgresql", "`postgres`"),
            ("rediss", "`redis`"),
            ("redis+sentinel", "`redis`"),
            ("rediss+sentinel", "`redis`"),
            ("redis+unix", "`redis`"),
            ("valkey+unix", "`redis`"),
            ("unix", "`redis`"),
            ("https", "`remote`"),
            ("http+unix", "`remote`"),
            ("sqlite", "`sqlite`"),
        ] {
            let error = unknown_scheme(scheme);
            assert!(
                error.message().contains(&format!("the feature {feature} of the package `queue-jobs`")),
                "{scheme}: {error}"
            );
        }
    }
}
