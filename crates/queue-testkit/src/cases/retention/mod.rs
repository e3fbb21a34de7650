//! How long a terminal record stays, and that it is absent on the millisecond afterwards.

pub(super) mod awaited;
pub(super) mod kept;
pub(super) mod purged;

use crate::bench::Bench;
use queue_core::Timestamp;

/// The purge time of a job: `None` if it is absent, `Some(None)` if it is kept for ever.
async fn purge_at(bench: &Bench, text: &str) -> Option<Option<Timestamp>> {
    bench.find(text).await.map(|record| record.meta.purge_at)
}
