//! What every page can reach.

use crate::{
    access::{AccessPolicy, FormTokens, Sessions},
    read::Snapshots,
    stores::WatchedStores,
    trace_url::TraceUrl,
};
use queue_core::{Clock, IdSource, Rng, SystemClock, SystemRng, TimeOrderedIds};
use queue_http::ServiceLimits;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The most streams of changes at the same time. Further tabs are fresh when they are loaded.
const STREAMS_MAX: usize = 200;

/// What every page can reach.
#[derive(Debug)]
pub(crate) struct WebApp {
    pub(crate) stores: WatchedStores,
    /// Where traces are shown.
    pub(crate) traces: Option<TraceUrl>,
    /// What forms are checked against, as calls are.
    pub(crate) limits: ServiceLimits,
    pub(crate) policy: AccessPolicy,
    pub(crate) sessions: Sessions,
    pub(crate) forms: FormTokens,
    pub(crate) snapshots: Snapshots,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) rng: Arc<dyn Rng>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) closing: CancellationToken,
}

impl WebApp {
    pub(crate) fn new(
        stores: WatchedStores,
        traces: Option<TraceUrl>,
        limits: ServiceLimits,
        policy: AccessPolicy,
    ) -> Self {
        Self {
            stores,
            traces,
            limits,
            sessions: Sessions::new(policy.keys.clone()),
            forms: FormTokens::new(policy.keys.clone()),
            policy,
            snapshots: Snapshots::default(),
            clock: Arc::new(SystemClock),
            rng: Arc::new(SystemRng),
            ids: Arc::new(TimeOrderedIds::default()),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            closing: CancellationToken::new(),
        }
    }
}
