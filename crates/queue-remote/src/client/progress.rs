//! Distinguishes a call that is slow from one that is stuck.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::timeout;

/// The pieces of a request that were passed to the network.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Arc<AtomicU64>);

/// Nothing moved for too long.
#[derive(Debug)]
pub(crate) struct Silence;

impl Progress {
    /// Notes another piece.
    pub(crate) fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The output of a future, unless nothing moves for `limit`. The wait begins again as long as
    /// pieces go out, so it may take up to twice the limit to notice a request that got stuck.
    pub(crate) async fn watch<F: Future>(&self, limit: Duration, call: F) -> Result<F::Output, Silence> {
        let mut call = pin!(call);
        loop {
            let before = self.0.load(Ordering::Relaxed);
            match timeout(limit, &mut call).await {
                Ok(output) => return Ok(output),
                Err(_) if self.0.load(Ordering::Relaxed) != before => {}
                Err(_) => return Err(Silence),
            }
        }
    }
}
