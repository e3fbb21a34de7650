//! What a store that was restored from a backup means for its jobs, and for what is outside.

use super::{
    facts::{QueueFacts, StoreFacts},
    words::listed,
};
use queue_core::{Finding, JobMeta, State, Timestamp};
use queue_view::words::{age, date};

pub(super) fn all(facts: &StoreFacts) -> Vec<Finding> {
    vec![newest(facts), numbers(facts), running(facts), waiting(facts), workers(facts)]
}

/// How old the backup is, as far as its jobs show.
fn newest(facts: &StoreFacts) -> Finding {
    let seen = facts.queues.iter().filter_map(newest_time).max();
    let seen = match seen {
        Some(at) => format!(
            "the newest thing that the jobs show happened {} ago, at {}",
            age(facts.time.now.since(at)),
            date(at)
        ),
        None => "the store has no job".to_owned(),
    };
    Finding::warning(
        "restored-age",
        seen,
        "jobs that were enqueued after the backup are gone: enqueue them again, under the same ids",
    )
}

fn newest_time(queue: &QueueFacts) -> Option<Timestamp> {
    let times = |job: &JobMeta| [Some(job.created_at), job.claimed_at, job.failed_at, job.finished_at];
    queue.newest.iter().chain(&queue.held).flat_map(times).flatten().max()
}

/// What outside fences must do: the numbers that they remember may be ahead of the store.
fn numbers(facts: &StoreFacts) -> Finding {
    let highest = |queue: &QueueFacts| {
        let newest = queue.newest.as_ref()?;
        let epoch = queue.held.iter().chain([newest]).map(|job| job.epoch).max().unwrap_or(0);
        Some(format!(
            "{:?} goes on behind seq {}, epochs seen up to {epoch}",
            queue.name.as_str(),
            newest.seq.get()
        ))
    };
    let each: Vec<String> = facts.queues.iter().filter_map(highest).collect();
    let seen = if each.is_empty() { "no queue has a job".to_owned() } else { listed(each) };
    Finding::warning(
        "restored-fences",
        seen,
        "seq and epoch went back, and numbers that were given out after the backup are given out again. For every resource that is \
         fenced by (seq, epoch): stop what holds it, then clear the number that it remembers, wherever that is greater than the seq \
         here. If it stays, the resource refuses each new holder until seq has passed it; a holder from before the restore may \
         have the same number as a new one, so none may still run",
    )
}

/// What ran when the backup was made.
fn running(facts: &StoreFacts) -> Finding {
    const CODE: &str = "restored-running";
    let jobs = count(facts, &[State::Processing]);
    if jobs == 0 {
        return Finding::fine(CODE, "no job ran when the backup was made");
    }
    Finding::warning(
        CODE,
        format!("{jobs} jobs ran when the backup was made"),
        "they run again once their leases lapse, and are charged a stall, though most of them ended long ago; cancel those whose \
         effects must not be repeated (`queue list --state processing`, `queue cancel --processing`)",
    )
}

/// What may have been done since.
fn waiting(facts: &StoreFacts) -> Finding {
    const CODE: &str = "restored-waiting";
    let jobs = count(facts, &[State::Queued, State::Failing]);
    if jobs == 0 {
        return Finding::fine(CODE, "no job waited when the backup was made");
    }
    Finding::warning(
        CODE,
        format!("{jobs} jobs waited when the backup was made"),
        "those that were done since run again: pause the queues (`queue pause`), and delete those whose effects are there",
    )
}

fn workers(facts: &StoreFacts) -> Finding {
    const CODE: &str = "restored-workers";
    let present = facts.workers.as_ref().map_or(0, Vec::len);
    if present == 0 {
        return Finding::fine(CODE, "no worker is present");
    }
    Finding::warning(
        CODE,
        format!("{present} workers are listed"),
        "stop all workers until the fences are cleared; those that are listed from the backup disappear within half a minute",
    )
}

fn count(facts: &StoreFacts, states: &[State]) -> u64 {
    facts.queues.iter().flat_map(|queue| states.iter().map(|state| queue.counts.of(*state))).sum()
}
