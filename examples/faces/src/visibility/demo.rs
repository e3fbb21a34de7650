//! The demonstration of the visibility timeout, as a sequence of four scenes.

use super::{Visibility, basics, leader, overflow, sharing};
use crate::{Result, Stage};
use queue::Raw;
use std::time::Duration;

/// The verbs, then the three patterns, each on an empty queue.
///
/// # Errors
/// The errors of the store.
pub async fn demo(stage: &Stage) -> Result {
    let all = Visibility::<Raw>::new(stage.store(), stage.queue(), Duration::from_mins(1))?;
    basics::scene(stage).await?;
    leader::scene(stage).await?;
    all.purge().await?;
    sharing::scene(stage).await?;
    all.purge().await?;
    overflow::scene(stage).await
}
