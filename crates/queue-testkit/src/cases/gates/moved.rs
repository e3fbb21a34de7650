//! Gates and end signals of records of another store.

use super::{SUM, complete_the_only, gate, member, seal, unsealed};
use crate::{
    bench::prelude::*,
    cases::{
        cases,
        import::{import, import_one, whole},
    },
};
use queue_core::{Gate, Imported, Signalling, Tally, WholeJob, lifecycle::Event};

cases! { "gates":
    a_moved_gate_goes_on_counting_whatever_the_order_of_the_records [I2 I28 I29] (Gates Import);
    a_moved_signal_to_a_job_that_did_not_come_is_dropped [I28] (Gates Import);
}

/// A job that waits for two members, of which one has ended.
async fn half_done(from: &Bench) -> Vec<WholeJob> {
    from.put_job(unsealed()).await;
    from.put_job(member("a").with_priority(-1)).await;
    from.complete(&from.claim_one().await).await;
    from.put_job(member("b")).await;
    seal(from).await;
    vec![whole(from, SUM).await, whole(from, "a").await, whole(from, "b").await]
}

async fn a_moved_gate_goes_on_counting_whatever_the_order_of_the_records(bench: &Bench) {
    let mut jobs = half_done(&bench.on_queue("from")).await;
    for to in ["behind", "before"] {
        let to = bench.on_queue(to);
        assert!(import(&to, jobs.clone()).await.iter().all(Imported::is_new));
        assert_eq!((to.counts().await.gated, gate(&to).await), (1, gate_of(&jobs)));
        let signallings = [to.meta("a").await.signalling, to.meta("b").await.signalling];
        assert_eq!(signallings, [Signalling::Sent, Signalling::Owed(1)]);
        to.changed("a", Event::Delete).await;
        complete_the_only(&to, "b").await;
        let counted = gate(&to).await;
        assert_eq!((counted.signals, counted.tally.completed), (2, 2), "the first member signals once");
        complete_the_only(&to, SUM).await;
        jobs.reverse();
    }
}

fn gate_of(jobs: &[WholeJob]) -> Gate {
    *jobs.iter().find_map(|job| job.meta.gate.as_deref()).expect("one has a gate")
}

async fn a_moved_signal_to_a_job_that_did_not_come_is_dropped(bench: &Bench) {
    let member = half_done(&bench.on_queue("from")).await.remove(2);
    assert!(import_one(bench, member).await.is_new());
    complete_the_only(bench, "b").await;
    bench.put_job(unsealed()).await;
    assert_eq!(gate(bench).await.tally, Tally::default());
}
