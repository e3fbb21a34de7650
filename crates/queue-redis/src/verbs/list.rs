//! `list`: one page of metadata along one index.

use super::{
    claim::read_named,
    list_args::{args, read_place},
};
use crate::{
    client::Access,
    handle::{HandleState, ScriptAnswer},
    reply::{Reply, corrupt},
    script::{self, Script},
};
use queue_core::{JobMeta, ListQuery, Page, PageEnd, QueueName, Result, State, Walk};

/// Whose cursors they are. They hold a queue's own count.
const CURSORS: &str = "redis";
/// Due jobs that one page moves to the ready ones, in portions of 10,000: more than a server holds.
const PROMOTIONS_MAX: usize = 100_000;

impl HandleState {
    pub(crate) async fn list(&self, query: ListQuery) -> Result<Page> {
        let after = PageEnd::parse(&query, CURSORS)?;
        let queue = self.queues.get(&query.queue);
        let (script, access) = script_of(&query.walk);
        for _ in 0..PROMOTIONS_MAX {
            let args = args(&query, after);
            let ScriptAnswer { moment, number, mut rest } =
                self.call("list", script, &queue, access, args).await?;
            // One script moves a bounded number of jobs that became due, and lists only once none
            // is left to move (ADR 0041).
            if rest.len() == 0 {
                continue;
            }
            let (ended, looked_at) = (rest.bytes()?, rest.count()?);
            let jobs = metas(rest.array()?, &query.queue, number)?;
            let next = if ended.is_empty() { None } else { Some(read_place(&query.walk, &ended)?) };
            let next = next.map(|end| end.cursor(&query, CURSORS));
            return Ok(Page { jobs, next, looked_at, now: moment.now, clock: moment.clock });
        }
        Err(corrupt("list"))
    }
}

/// The script that goes along the index, and what it does.
fn script_of(walk: &Walk) -> (&'static Script, Access) {
    match walk {
        Walk::All(_) | Walk::State(State::Queued | State::Completed, _) => (&script::LIST, Access::Reads),
        Walk::State(State::Processing, _) => (&script::RUNNING, Access::Reads),
        Walk::State(State::Failing | State::Failed | State::Cancelled, _) | Walk::Tagged(..) => {
            (&script::LISTED, Access::Reads)
        }
        // What became due moves, as with a claim.
        Walk::Due => (&script::DUE, Access::WritesLightly),
        Walk::Scheduled => (&script::SCHEDULED, Access::Reads),
        Walk::Lapsed => (&script::LAPSED, Access::Reads),
        Walk::Gated => (&script::GATED, Access::Reads),
        Walk::Held { .. } => (&script::HELD, Access::Reads),
    }
}

fn metas(mut reply: Reply, queue: &QueueName, number: u64) -> Result<Vec<JobMeta>> {
    let mut jobs = Vec::with_capacity(reply.len());
    while reply.len() > 0 {
        let stored = read_named(queue, number, &reply.bytes()?).ok_or_else(|| corrupt("list"))?;
        jobs.push(stored.meta);
    }
    Ok(jobs)
}
