//! What happens to the bytes between the workers and a server: short faults, one after the other.

use crate::failed::Failed;
use bytes::Bytes;
use queue::{Rng, SeededRng};
use queue_testkit::proxy::{Proxy, Traffic};
use std::{convert::Infallible, time::Duration};
use tokio::time::sleep;

/// Requests whose answer may be lost, by the end of the first line of HTTP.
const LOST: [&[u8]; 4] = [b"/v1/settle", b"/claim", b"/v1/extend", b"/jobs"];

/// Makes faults for ever.
pub(super) async fn storm(proxy: &Proxy, seed: u64) -> Result<Infallible, Failed> {
    let rng = SeededRng::new(seed);
    let below = |most: u64| rng.next_u64() % most;
    loop {
        sleep(Duration::from_millis(50 + below(300))).await;
        match below(8) {
            0 => {
                proxy.set(Traffic::Refuse).await?;
                proxy.cut().await?;
            }
            1 => proxy.set(Traffic::Delay(Duration::from_millis(below(100)))).await?,
            lost => {
                let request = LOST[usize::try_from(lost)? % LOST.len()];
                proxy.set(Traffic::CutBeforeReply(Bytes::from_static(request))).await?;
            }
        }
        sleep(Duration::from_millis(20 + below(150))).await;
        proxy.set(Traffic::Pass).await?;
    }
}
