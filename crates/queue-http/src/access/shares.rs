//! What one caller may have of what all share.

use crate::access::Principal;
use queue_core::{Clock, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// Room for bodies is counted in these many bytes, since a semaphore counts to 2^29 at least.
pub(super) const UNIT: usize = 1_024;
/// How long the end of a token may go unnoticed at most.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The shares of one token. They stay when its file is read again, so that the file is no way round
/// a limit.
#[derive(Debug)]
pub(super) struct Shares {
    pub(super) waits: Arc<Semaphore>,
    pub(super) watches: Arc<Semaphore>,
    pub(super) streams: Arc<Semaphore>,
    pub(super) tabs: Arc<Semaphore>,
    /// In units of [`UNIT`].
    pub(super) bodies: Arc<Semaphore>,
}

impl Shares {
    pub(super) fn of_token(waits_max: usize) -> Self {
        let share = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        Self {
            waits: share(waits_max),
            watches: share(Principal::WATCHES_MAX),
            streams: share(Principal::STREAMS_MAX),
            tabs: share(Principal::TABS_MAX),
            bodies: share(Principal::BODIES_BYTES_MAX / UNIT),
        }
    }

    /// For a caller without a token, who shares with no other.
    pub(super) fn whole(waits_max: usize) -> Self {
        let whole = || Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let waits = Arc::new(Semaphore::new(waits_max));
        Self { waits, watches: whole(), streams: whole(), tabs: whole(), bodies: whole() }
    }
}

pub(super) fn taken(share: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    share.clone().try_acquire_owned().ok()
}

/// How long a token counts.
#[derive(Clone, Debug)]
pub(super) struct Life {
    pub(super) revoked: CancellationToken,
    pub(super) expires_at: Option<Timestamp>,
    /// `None` for a caller without a token.
    pub(super) clock: Option<Arc<dyn Clock>>,
}

impl Life {
    pub(super) fn without_end() -> Self {
        Self { revoked: CancellationToken::new(), expires_at: None, clock: None }
    }

    /// Waits until the token is revoked or over. The clock may be set, so that it is looked at
    /// again and again.
    pub(super) async fn ended(&self) {
        let (Some(end), Some(clock)) = (self.expires_at, &self.clock) else {
            return self.revoked.cancelled().await;
        };
        let over = async {
            while clock.now() < end {
                sleep(LOOK_EVERY).await;
            }
        };
        tokio::select! {
            () = self.revoked.cancelled() => {}
            () = over => {}
        }
    }
}
