//! Several claims of one queue: the arguments of a statement for them, and the share of each in its
//! answer.

use crate::{call::BoundQuery, claim_floors::Look, row::limit};
use queue_core::{ClaimRequest, Claimed, Timestamp};

/// How many jobs the requests want together.
pub(super) fn wanted(requests: &[ClaimRequest]) -> usize {
    requests.iter().map(|request| request.limit).fold(0, usize::saturating_add)
}

/// Gives each request that was begun its share of an answer, in their order.
pub(super) fn deal(mut claimed: Claimed, shares: &[usize], requests: &[ClaimRequest]) -> Vec<Claimed> {
    let mut jobs = std::mem::take(&mut claimed.jobs).into_iter();
    let share = |(request, count): (&ClaimRequest, &usize)| Claimed {
        jobs: jobs.by_ref().take(*count).collect(),
        next_due: late(request, claimed.now).or(claimed.next_due),
        ..claimed.clone()
    };
    requests.iter().zip(shares).map(share).collect()
}

/// When a request is to be sent again that came too late for its sender: at once.
pub(super) fn late(request: &ClaimRequest, now: Timestamp) -> Option<Timestamp> {
    request.is_late(now).then_some(now)
}

/// Binds how many jobs are wanted, the shortest lease, tokens and workers.
pub(super) fn bind_holders(query: BoundQuery, requests: &[ClaimRequest]) -> BoundQuery {
    let lease = requests.iter().map(|request| request.lease.as_millis()).min();
    let query = query.bind(limit(wanted(requests))).bind(lease);
    if let [request] = requests {
        return query.bind(request.token.as_bytes().to_vec()).bind(request.worker.as_str().to_owned());
    }
    let tokens: Vec<_> = requests.iter().map(|request| request.token.as_bytes().to_vec()).collect();
    let workers: Vec<_> = requests.iter().map(|request| request.worker.as_str().to_owned()).collect();
    query.bind(tokens).bind(workers)
}

/// Binds the bytes of an answer, for several requests four numbers of each (`parts/shares.sql`),
/// and until when a sender listens.
pub(super) fn bind_room(query: BoundQuery, requests: &[ClaimRequest]) -> BoundQuery {
    if let [request] = requests {
        return query.bind(limit(request.bytes_max)).bind(until(request));
    }
    let numbers = |request: &ClaimRequest| {
        let (most, lease, bytes) =
            (limit(request.limit), request.lease.as_millis(), limit(request.bytes_max));
        [Some(most), Some(lease), Some(bytes), until(request)]
    };
    let numbers: Vec<_> = requests.iter().flat_map(numbers).collect();
    let last: Option<Vec<_>> = requests.iter().map(until).collect();
    query.bind(numbers).bind(last.and_then(|all| all.into_iter().max()))
}

/// Until when the sender of a request listens.
pub(super) fn until(request: &ClaimRequest) -> Option<i64> {
    request.not_after.map(Timestamp::as_millis)
}

pub(super) fn bind_floors(query: BoundQuery, look: &Look) -> BoundQuery {
    let lanes = look.lanes();
    query
        .bind(look.all())
        .bind(lanes.iter().map(|(priority, _)| *priority).collect::<Vec<_>>())
        .bind(lanes.iter().map(|(_, key)| key.0).collect::<Vec<_>>())
        .bind(lanes.iter().map(|(_, key)| key.1).collect::<Vec<_>>())
}
