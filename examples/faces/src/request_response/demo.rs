//! The demonstration of requests and responses, as a sequence of scenes.

use super::{
    scenes::{cached, cancelled, nobody_answers, recovered, shut_down, together},
    sums::{Adder, Sums},
};
use crate::{Result, Stage};
use tokio_util::sync::CancellationToken;

/// Requests without a consumer, with one, while it stops, and after it died.
///
/// # Errors
/// The errors of the store.
pub async fn demo(stage: &Stage) -> Result {
    let sums = Sums::new(stage.store(), stage.queue())?;
    let adder = Adder::new();
    nobody_answers(stage, &sums).await?;

    stage.say("a consumer starts");
    let consumer = adder.consumer(stage)?;
    let stop = consumer.stop_token();
    let (_report, shown) = tokio::join!(consumer.run(), async {
        let shown = while_it_runs(stage, &sums, &adder, &stop).await;
        stop.cancel();
        shown
    });
    shown?;
    stage.say("the consumer has ended");
    recovered(stage, &sums, &adder).await
}

async fn while_it_runs(stage: &Stage, sums: &Sums, adder: &Adder, stop: &CancellationToken) -> Result {
    together(stage, sums, adder).await?;
    cached(stage, sums, adder).await?;
    cancelled(stage, sums, adder).await?;
    shut_down(stage, sums, adder, stop).await
}
