//! What workloads reach of gates, end signals and partitions. A workload that never came to a gate
//! would find nothing there.

use crate::history_planted::{SEEDS_MAX, STEPS, harness::PlantedHarness};
use queue_testkit::history::{Answer, Event, Op, Params, RecordView, Status, check_workload};
use std::collections::BTreeSet;

const ALL: [&str; 12] = [
    "counted cancelled",
    "counted completed",
    "counted failed",
    "deleted",
    "expired",
    "leased in a partition",
    "limited by a call",
    "opened by signals",
    "orphaned",
    "raised by a follower",
    "sealed",
    "suspended",
];

#[tokio::test(start_paused = true)]
async fn workloads_reach_gates_and_partitions() {
    let all = BTreeSet::from(ALL);
    let mut reached = BTreeSet::new();
    for seed in 0..SEEDS_MAX {
        let params = Params::default().with_steps(STEPS);
        let report = check_workload(&PlantedHarness(None), seed, params).await;
        let events = report.history.events().iter();
        reached.extend(events.flat_map(|event| [of_gates(event), of_partitions(event)].concat()));
        if reached == all {
            return;
        }
    }
    panic!("no workload reaches {:?}", all.difference(&reached));
}

fn of_gates(event: &Event) -> Vec<&'static str> {
    let is_done = event.answer == Some(Answer::Done);
    let seen = event.seen.clone().unwrap_or_default();
    let gate = seen.gate.unwrap_or_default();
    let opened = event.answer == Some(Answer::Claimed) && gate.is_complete() && gate.signals > 0;
    let follows = event.op == Op::Then && event.ask.signals.iter().any(|signal| signal.raises);
    let facts = [
        ("counted completed", gate.tally[0] > 0),
        ("counted failed", gate.tally[1] > 0),
        ("counted cancelled", gate.tally[2] > 0),
        ("deleted", is_done && event.op == Op::Delete),
        ("expired", is_expired(&seen)),
        ("opened by signals", opened),
        ("orphaned", event.answer == Some(Answer::Orphaned)),
        ("raised by a follower", follows),
        ("sealed", is_done && event.op == Op::Seal),
        ("suspended", is_done && event.op == Op::Suspend && gate.is_closed),
    ];
    facts.into_iter().filter(|(_, holds)| *holds).map(|(fact, _)| fact).collect()
}

fn of_partitions(event: &Event) -> Vec<&'static str> {
    let is_claim = event.answer == Some(Answer::Claimed);
    let has_partition = event.seen.as_ref().is_some_and(|seen| seen.partition.is_some());
    let facts = [
        ("leased in a partition", is_claim && has_partition),
        ("limited by a call", event.op == Op::SetLimits && event.answer == Some(Answer::Plain)),
    ];
    facts.into_iter().filter(|(_, holds)| *holds).map(|(fact, _)| fact).collect()
}

fn is_expired(seen: &RecordView) -> bool {
    seen.status == Status::Cancelled && seen.reason.is_some()
}
