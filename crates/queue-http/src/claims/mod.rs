//! Claims of remote workers: at most one call of the store for each, no jobs lost to workers that
//! went away, and waits in a line.

mod flights;
mod give_back;
mod handover;
mod line;
mod one_claim;
mod queue_answers;
mod repeat;
mod repeated;
mod rescue;
mod rest;
mod turn;
mod upkeep;

pub(crate) use handover::Handover;
pub(crate) use repeat::repeat;
pub(crate) use rest::{rest, rest_at_the_end};
pub(crate) use turn::claim;

use crate::access::ReceiptKeys;
use flights::Flights;
use line::Lines;
use queue_answers::QueueAnswers;
use queue_core::{LeaseToken, QueueName, Span, WorkerId};
use upkeep::Upkeep;

/// What the claims of a service share.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    lines: Lines,
    flights: Flights,
    upkeep: Upkeep,
    pub(crate) answers: QueueAnswers,
}

/// A request for jobs, as a worker makes it.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) queue: QueueName,
    pub(crate) worker: WorkerId,
    pub(crate) token: LeaseToken,
    pub(crate) limit: usize,
    pub(crate) lease: Span,
    pub(crate) bytes_max: usize,
}

/// The tokens that a claim can have: the first if it is made now, the second if it was made before
/// the keys were rotated. A caller cannot choose a token that belongs to another caller's claim.
pub(crate) fn tokens(
    keys: &ReceiptKeys,
    token_id: &str,
    queue: &QueueName,
    worker: &WorkerId,
    claim_id: u128,
) -> Vec<LeaseToken> {
    let claim_id = claim_id.to_be_bytes();
    let parts = [token_id.as_bytes(), queue.as_str().as_bytes(), worker.as_str().as_bytes(), &claim_id];
    keys.tags("claim", &parts).into_iter().map(|seal| LeaseToken::from_bytes(seal.tag)).collect()
}
