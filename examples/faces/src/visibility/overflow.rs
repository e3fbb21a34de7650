//! The pattern of overflow: what a slow worker does not manage in time, a second worker takes over.

use super::Visibility;
use crate::{Result, Stage};
use queue::{Delivery, Settled};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

const MESSAGES: u32 = 4;
const LONG: Duration = Duration::from_mins(5);
/// The timeout of a handler that is slower than that. Its claim has two thirds of it to be
/// answered.
const SHORT: Duration = Duration::from_secs(2);

/// A worker claims more than it manages within its timeout: what it does not manage becomes
/// visible, and a second worker, which would be started when the first falls behind, takes it over.
/// What the first does too late is refused.
pub(super) async fn scene(stage: &Stage) -> Result {
    let first = Visibility::<u32>::new(stage.store(), stage.queue(), SHORT)?;
    for number in 0..MESSAGES {
        let _present = first.publish(format!("message-{number}"), number).await?;
    }
    let claimed = first.claim_batch(MESSAGES as usize, Duration::ZERO).await?;
    stage.say(format!("elastic overflow: a slow worker claims {} messages", claimed.len()));

    let second = Visibility::<u32>::new(stage.store(), stage.queue(), LONG)?;
    stage.say(format!("  a second worker does {} of them", work_until_empty(&second).await?));
    let mut refused = 0;
    for message in &claimed {
        refused += u32::from(message.ack(&()).await? == Settled::LeaseLost);
    }
    stage.say(format!("  the slow worker ends: {refused} of {} too late", claimed.len()));
    Ok(())
}

/// Runs a worker until there is no message left, and answers how many it did.
async fn work_until_empty(messages: &Visibility<u32>) -> Result<u64> {
    let stop = CancellationToken::new();
    let done = Arc::new(AtomicU64::new(0));
    let handler = |_: Arc<Delivery<u32>>| {
        done.fetch_add(1, Ordering::SeqCst);
        std::future::ready(Ok(()))
    };
    let (ran, watched) = tokio::join!(messages.run_batch(&stop, 2, 2, handler), async {
        let watched = until_empty(messages).await;
        stop.cancel();
        watched
    });
    ran?;
    watched?;
    Ok(done.load(Ordering::SeqCst))
}

async fn until_empty(messages: &Visibility<u32>) -> queue::Result<()> {
    while !messages.is_empty().await? {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}
