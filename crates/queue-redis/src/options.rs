//! The options that a store is opened with.

use crate::{
    endpoint::Endpoint,
    keys::{Namespace, Spread},
    tls::CertificateFiles,
    url::RedisUrl,
};
use queue_core::{Clock, Error, Limits, Result};
use queue_store::UrlOption;
use std::{sync::Arc, time::Duration};

/// Progress stands in the state string, whose length field for it has three bytes.
const NOTE_BYTES_MAX: usize = (1 << 24) - 1;
/// A group travels in one request: half of what a server takes from a client.
const CALL_BYTES_MAX: usize = 512 << 20;

/// How a store on a server is opened. Start with [`RedisOptions::new`], change what you need, and
/// hand it to [`RedisStorage::open`](crate::RedisStorage::open).
#[derive(Clone, Debug)]
pub struct RedisOptions {
    pub(crate) endpoint: Endpoint,
    pub(crate) certificates: CertificateFiles,
    pub(crate) namespace: Namespace,
    pub(crate) eviction: Eviction,
    pub(crate) replicas: Option<Replicas>,
    pub(crate) limits: Limits,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) response_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    #[cfg(feature = "deadpool")]
    pub(crate) pool: Option<deadpool_redis::Pool>,
}

/// What to do about a server that may throw keys away when its memory is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Eviction {
    /// Do not open it: an evicted key is a lost job.
    #[default]
    Refuse,
    /// Open it nevertheless.
    Allow,
}

/// Replicas that are to have a write before it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replicas {
    pub(crate) count: u32,
    pub(crate) timeout: Duration,
}

impl RedisOptions {
    /// The server of a URL, with defaults for everything else.
    ///
    /// | URL | meaning |
    /// |---|---|
    /// | `redis://[user:password@]host[:port][/db]` | one server |
    /// | `rediss://...` | the same over TLS (feature `tls`) |
    /// | `redis+cluster://host[:port][,host[:port]...]` | a Cluster, found through any of its nodes |
    /// | `redis+sentinel://host[:port][,host[:port]...][/db]?service=name` | the master that Sentinels name |
    /// | `rediss+cluster://...`, `rediss+sentinel://...` | the same over TLS, to all of them |
    /// | `...&sentinel_username=user&sentinel_password=secret` | the login to the Sentinels, where it is not that to the master; empty for none |
    /// | `...?ssl_ca_certs=file` | with TLS, the authorities to trust in place of the system's |
    /// | `...?ssl_certfile=file&ssl_keyfile=file` | with TLS, the client certificate to show, and its key |
    /// | `...?namespace=name` | the first part of every key, default `jq` |
    /// | `redis+unix:PATH?db=3&user=name&pass=secret` | one server on a Unix socket; `unix:` and `valkey+unix:` are the same |
    /// | `...?cluster=true` | the same as `redis+cluster` |
    /// | `...?eviction=allow` | see [`Eviction`] |
    /// | `...?wait_for_replicas=1,500ms` | see [`wait_for_replicas`](Self::wait_for_replicas) |
    /// | `...?response_timeout=5s`, `connect_timeout` | see the methods of these names |
    /// | `...?payload_bytes_max=65536`, `note_bytes_max`, `batch_max`, `call_bytes_max`, `answer_bytes_max` | see [`Limits`] |
    ///
    /// In a user or a password, `#`, `/`, `?`, `@` and `%` are percent-encoded.
    ///
    /// Files are in PEM form. They are read whenever a connection is made, so that renewed ones
    /// need no restart.
    ///
    /// # Errors
    /// `Invalid` for a URL that is malformed. No message repeats it, since it may hold a password.
    ///
    /// ```
    /// use queue_redis::RedisOptions;
    ///
    /// assert!(RedisOptions::new("redis://localhost:6379/3?namespace=mail").is_ok());
    /// assert!(RedisOptions::new("redis://localhost?colour=red").is_err());
    /// ```
    pub fn new(url: &str) -> Result<Self> {
        let RedisUrl { endpoint, certificates, options: own } = RedisUrl::parse(url)?;
        let options = Self {
            endpoint,
            certificates,
            namespace: Namespace::new("jq")?,
            eviction: Eviction::default(),
            replicas: None,
            limits: Limits::default(),
            clock: None,
            response_timeout: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(5),
            #[cfg(feature = "deadpool")]
            pool: None,
        };
        own.iter().try_fold(options, |options, (key, value)| options.with(UrlOption::new(key, value)))
    }

    /// The first part of every key and channel: 1 to 64 letters, digits, `-`, `_` or `.`. Default
    /// `jq`.
    ///
    /// # Errors
    /// `Invalid` for any other text.
    pub fn namespace(mut self, name: &str) -> Result<Self> {
        self.namespace = Namespace::new(name)?;
        Ok(self)
    }

    /// What to do about a server that may evict keys. Default: refuse it.
    #[must_use]
    pub fn eviction(mut self, eviction: Eviction) -> Self {
        self.eviction = eviction;
        self
    }

    /// Asks with `WAIT` that so many replicas have a write before it is answered, for at most this
    /// long, which is a millisecond or more; then it is answered as `Unavailable`, with an unknown
    /// outcome. A failover then loses less, not nothing: a replica that lacks the write may still
    /// be the one that is promoted. Claims, heartbeats and the ends of lapsed leases do not wait:
    /// one that a failover loses is done again. Not for a Cluster. Default: none.
    #[must_use]
    pub fn wait_for_replicas(mut self, count: u32, timeout: Duration) -> Self {
        self.replicas = (count > 0).then_some(Replicas { count, timeout });
        self
    }

    /// What the store accepts. Progress reports and error details have at most 16 MiB, a call
    /// 512 MiB.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where store time comes from, for tests. Default: the server's own clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// How long a call waits for its answer before it is `Unavailable` with an unknown outcome.
    /// Default 5 s.
    #[must_use]
    pub fn response_timeout(mut self, timeout: Duration) -> Self {
        self.response_timeout = timeout;
        self
    }

    /// How long connecting may take. Default 5 s.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sends calls over connections of a pool of the application, to the server of the same URL;
    /// hints still come on a connection of the store's own. A pool asks each connection whether it
    /// works before each use, which is one more round trip for each call; without a pool all calls
    /// share one connection, and that is faster. Not for a Cluster.
    #[cfg(feature = "deadpool")]
    #[must_use]
    pub fn pool(mut self, pool: deadpool_redis::Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    pub(crate) fn spread(&self) -> Spread {
        if matches!(self.endpoint, Endpoint::Cluster(_)) { Spread::Cluster } else { Spread::OneServer }
    }

    /// Checks once what cannot be wrong afterwards.
    pub(crate) fn checked(self) -> Result<Self> {
        if self.response_timeout.is_zero() || self.connect_timeout.is_zero() {
            return Err(Error::invalid("open", "timeouts must be longer than zero"));
        }
        if self.limits.note_bytes_max > NOTE_BYTES_MAX {
            return Err(Error::invalid("open", "notes have at most 16 MiB in this store"));
        }
        if self.limits.call_bytes_max > CALL_BYTES_MAX {
            return Err(Error::invalid("open", "calls have at most 512 MiB in this store"));
        }
        // The server would wait without end for none at all.
        if self.replicas.is_some_and(|replicas| replicas.timeout < Duration::from_millis(1)) {
            return Err(Error::invalid("open", "waiting for replicas takes at least a millisecond"));
        }
        if self.replicas.is_some() && self.spread() == Spread::Cluster {
            return Err(Error::invalid("open", "waiting for replicas is not offered on a Cluster"));
        }
        #[cfg(feature = "deadpool")]
        if self.pool.is_some() && self.spread() == Spread::Cluster {
            return Err(Error::invalid("open", "a pool is not offered on a Cluster"));
        }
        Ok(self)
    }
}
