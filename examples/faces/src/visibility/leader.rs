//! The pattern of leader election: the holder of a single message leads.

use super::Visibility;
use crate::{Result, Stage};
use queue::{Delivery, Extended, Settled, Storage};
use std::{sync::Arc, time::Duration};

/// The one row: who holds it leads.
const ROW: &str = "leader";
/// Longer than any demonstration.
const LONG: Duration = Duration::from_mins(5);
/// The last heartbeat of a leader that freezes.
const SHORT: Duration = Duration::from_millis(50);

/// A candidate for the lead: the holder of the one row leads, until its timeout passes without a
/// heartbeat.
///
/// It is the pattern at its barest. [`Leadership`](queue::worker::Leadership) also sends the
/// heartbeats, and campaigns again.
#[derive(Debug)]
pub struct Candidate {
    rows: Visibility<()>,
    held: Option<Delivery<()>>,
}

impl Candidate {
    /// A candidate for the leadership of this name.
    ///
    /// # Errors
    /// `Invalid` for a bad name or a timeout of zero.
    pub fn new(store: Arc<dyn Storage>, name: &str, timeout: Duration) -> queue::Result<Self> {
        Ok(Self { rows: Visibility::new(store, name, timeout)?, held: None })
    }

    /// Waits to become the leader, and answers its fencing number: every later leader has a higher
    /// one, so what an outside resource has seen a higher number for, it refuses.
    pub async fn lead(&mut self, wait: Duration) -> queue::Result<Option<u64>> {
        // Every candidate publishes the row, and it is there once.
        let _present = self.rows.publish(ROW, ()).await?;
        self.held = self.rows.claim(wait).await?;
        Ok(self.held.as_ref().map(|row| row.meta().epoch))
    }

    /// The heartbeat: true if this candidate leads for `by` from now.
    pub async fn stay(&mut self, by: Duration) -> queue::Result<bool> {
        let Some(row) = &self.held else { return Ok(false) };
        let is_leader = row.extend(by).await? == Extended::Done;
        if !is_leader {
            self.held = None;
        }
        Ok(is_leader)
    }

    /// Lets another lead at once. False if this candidate did not lead any more.
    pub async fn resign(&mut self) -> queue::Result<bool> {
        let Some(row) = self.held.take() else { return Ok(false) };
        Ok(row.release().await? == Settled::Done)
    }
}

/// Three candidates: the first freezes, the second resigns, the third leads.
pub(super) async fn scene(stage: &Stage) -> Result {
    let candidate = || Candidate::new(stage.store(), stage.queue(), LONG);
    let (mut ada, mut bob, mut eve) = (candidate()?, candidate()?, candidate()?);
    stage.say(format!("leader election: Ada leads with fence {}", fence(ada.lead(LONG).await?)?));
    stage.say(format!("  Bob asks meanwhile: {:?}", bob.lead(Duration::ZERO).await?));
    stage.say(format!("  Ada stays: {}", ada.stay(SHORT).await?));
    stage.say("  Ada freezes");
    stage.say(format!("  Bob leads with fence {}", fence(bob.lead(LONG).await?)?));
    stage.say(format!("  Ada wakes up and stays: {}", ada.stay(LONG).await?));
    stage.say(format!("  Bob resigns: {}", bob.resign().await?));
    stage.say(format!("  Eve leads with fence {}", fence(eve.lead(Duration::ZERO).await?)?));
    Ok(())
}

fn fence(leads: Option<u64>) -> Result<u64> {
    Ok(leads.ok_or("somebody else leads")?)
}
