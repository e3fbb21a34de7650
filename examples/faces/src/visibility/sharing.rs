//! The pattern of work sharing: members divide a set of rows among themselves.

use super::Visibility;
use crate::{Result, Stage};
use queue::{Delivery, Settled};
use std::time::Duration;

/// Rows to share, such as partitions of a stream.
const ROWS: u32 = 6;
const LONG: Duration = Duration::from_mins(5);

/// Takes one member's share of the rows that are free: all of them divided by the members, rounded
/// up.
///
/// # Errors
/// The errors of the store.
pub async fn claim_share(
    rows: &Visibility<u32>,
    total: usize,
    members: usize,
) -> queue::Result<Vec<Delivery<u32>>> {
    rows.claim_batch(total.div_ceil(members.max(1)), Duration::ZERO).await
}

/// Two members share the rows; one leaves, and a third takes over what it had.
pub(super) async fn scene(stage: &Stage) -> Result {
    let member = || Visibility::<u32>::new(stage.store(), stage.queue(), LONG);
    let (ada, bob, eve) = (member()?, member()?, member()?);
    for row in 0..ROWS {
        let _present = ada.publish(format!("row-{row}"), row).await?;
    }
    let rows = ROWS as usize;
    let of_ada = claim_share(&ada, rows, 2).await?;
    let of_bob = claim_share(&bob, rows, 2).await?;
    let of_eve = claim_share(&eve, rows, 2).await?;
    stage.say(format!("work sharing: Ada has {:?}, Bob {:?}", numbers(&of_ada), numbers(&of_bob)));
    stage.say(format!("  Eve comes too: {:?}", numbers(&of_eve)));
    stage.say(format!("  Ada leaves: {} rows given back", give_back(&of_ada).await?));
    stage.say(format!("  Eve takes over: {:?}", numbers(&claim_share(&eve, rows, 2).await?)));
    stage.say(format!("  Ada gives back again: {} rows", give_back(&of_ada).await?));
    Ok(())
}

/// How many of the rows were still this member's to give.
async fn give_back(rows: &[Delivery<u32>]) -> Result<usize> {
    let mut given = 0;
    for row in rows {
        given += usize::from(row.release().await? == Settled::Done);
    }
    Ok(given)
}

fn numbers(rows: &[Delivery<u32>]) -> Vec<u32> {
    rows.iter().map(|row| *row.payload()).collect()
}
