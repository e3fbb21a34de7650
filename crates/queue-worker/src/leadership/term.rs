//! A time in office.

use super::{Fence, LostReason, holder::Holder};
use queue_core::Result;
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A time in office. While it lives, a task of its own sends heartbeats; dropping it resigns.
#[derive(Debug)]
pub struct Term {
    holder: Arc<Holder>,
    leaves_when_dropped: DropGuard,
}

impl Term {
    pub(super) fn new(holder: Arc<Holder>, leaves_when_dropped: DropGuard) -> Self {
        Self { holder, leaves_when_dropped }
    }

    /// The number of this term, for everything that the leader writes outside the store.
    pub fn fence(&self) -> Fence {
        self.holder.fence()
    }

    /// Whether the lease certainly runs, by this process's clock and without asking the store.
    /// Where the clock stands still while the machine sleeps, the answer is yes for too long; the
    /// fence is for that case.
    pub fn is_held(&self) -> bool {
        self.holder.is_held()
    }

    /// Asks the store whether this candidate still leads, which also is a heartbeat.
    ///
    /// # Errors
    /// The errors of [`Storage::apply`](queue_core::Storage::apply). Then it is unknown whether
    /// this process leads.
    ///
    /// A dropped future may have extended the lease.
    pub async fn confirm(&self) -> Result<bool> {
        if let Some(reason) = self.holder.beat().await? {
            self.holder.lose(reason);
        }
        Ok(self.is_held())
    }

    /// Resolves when the term is over, at once if it is over already.
    pub async fn lost(&self) {
        self.holder.lost_token().cancelled().await;
    }

    /// The token behind [`lost`](Self::lost), for passing on. It fires after a resignation too.
    pub fn lost_token(&self) -> CancellationToken {
        self.holder.lost_token().clone()
    }

    /// Why the term is over, once it is.
    pub fn lost_reason(&self) -> Option<LostReason> {
        self.holder.reason()
    }

    /// Gives the lease back, so that the next candidate leads at once. The future resolves when the
    /// store has that, or when the lease would have lapsed.
    ///
    /// A dropped future resigns, too.
    pub async fn resign(self) {
        let Self { holder, leaves_when_dropped } = self;
        drop(leaves_when_dropped);
        holder.ended().await;
    }
}
