//! When the calls of one runtime look which master has which slot.

use super::{SharedConnection, nodes::Nodes};
use crate::spawn::spawn;
use parking_lot::Mutex;
use queue_store::RuntimePart;
use redis::RedisResult;
use std::{sync::Arc, time::Duration};
use tokio::{task::JoinHandle, time::sleep};

/// The pause after a look at the slots, so that many calls which fail at once ask for few of them.
const LOOK_UP_PAUSE: Duration = Duration::from_millis(100);

/// The looks of one runtime at the slots.
#[derive(Debug, Default)]
pub(super) struct SlotLooks {
    /// The first, which all early calls wait for.
    first: SharedConnection<()>,
    /// A later one. Meanwhile calls go by what is known, since most of them are for other slots.
    renewal: Mutex<Option<JoinHandle<()>>>,
}

impl SlotLooks {
    /// Looks once, unless that is done.
    pub(super) async fn first(&self, nodes: &Nodes) -> RedisResult<()> {
        self.first.lend(|| nodes.look_up()).await.map(drop)
    }

    /// Looks again in the background, once at a time.
    pub(super) fn renew(&self, nodes: &Arc<Nodes>) {
        let mut renewal = self.renewal.lock();
        if renewal.as_ref().is_none_or(JoinHandle::is_finished) {
            let nodes = nodes.clone();
            *renewal = Some(spawn(async move {
                // If the look fails, the next call that fails starts another.
                drop(nodes.look_up().await);
                sleep(LOOK_UP_PAUSE).await;
            }));
        }
    }

    /// Ends the look in the background.
    pub(super) fn close(&self) {
        if let Some(renewal) = self.renewal.lock().take() {
            renewal.abort();
        }
    }
}

impl RuntimePart for SlotLooks {
    fn end(&self) {
        self.close();
    }
}
