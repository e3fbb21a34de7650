//! Calls that are made many times, by many at once, or by a program that is started again; and
//! workers that die at any call.

use crate::{
    on_stores,
    stage::{DAY, END, HOUR, SECOND, Stage, Work, add},
};
use futures_util::future::join_all;
use queue::{Change, JobId, JobOptions, Queue, State, StorageExt};
use std::collections::BTreeSet;

/// At how many calls a worker dies.
const DEATHS: u64 = 8;

on_stores!(
    twenty_callers_open_add_and_seal_at_once,
    a_producer_that_repeats_everything_adds_nothing_twice,
    a_seal_that_is_repeated_after_the_end,
    a_worker_that_dies_before_the_settle_has_enqueued_no_callback,
    a_worker_that_dies_at_any_call,
    a_callback_in_another_queue_is_enqueued_once_though_workers_die,
);

async fn twenty_callers_open_add_and_seal_at_once(stage: Stage) {
    let producer = |_| async {
        let batch = stage.batch("a").open().await.unwrap();
        let members = (0..10).map(|n| (format!("m{n}"), Work::Complete));
        let added = batch.add_all(members).await.unwrap();
        batch.seal().await.unwrap();
        (batch.seq(), added.iter().filter(|added| added.is_new()).count())
    };
    let all = join_all((0..20).map(producer)).await;
    assert!(all.iter().all(|(seq, _)| *seq == all[0].0), "it is one batch");
    assert_eq!(all.iter().map(|(_, new)| new).sum::<usize>(), 10);
    stage.finish("a").await;
    let called = stage.called();
    assert_eq!(called.len(), 2);
    assert_eq!((called[0].end.added, called[0].end.completed), (10, 10));
}

/// Twenty times and again two days later, while members end in every way.
async fn a_producer_that_repeats_everything_adds_nothing_twice(stage: Stage) {
    let works = [Work::Complete, Work::Fail, Work::Add("child".to_owned()), Work::FailOnce];
    let produce = || async {
        let batch = stage.batch("a").open().await.unwrap();
        let members = works.iter().enumerate().map(|(at, work)| (format!("m{at}"), work.clone()));
        batch.add_all(members).await.unwrap();
        batch
            .add_with("expires", Work::Complete, JobOptions::new().expires_in(SECOND).delay(SECOND / 2))
            .await
            .unwrap();
        batch.add_with("deleted", Work::Complete, JobOptions::new().delay(HOUR)).await.unwrap();
        batch
    };
    for round in 0..20 {
        let batch = produce().await;
        match round {
            4 => assert_eq!(stage.queue.cancel(batch.job("deleted").unwrap()).await.unwrap(), Change::Done),
            6 => assert_eq!(stage.queue.redrive(batch.job("m1").unwrap()).await.unwrap(), Change::Done),
            8 => stage.advance(HOUR),
            _ => drop(stage.run().await),
        }
    }
    let batch = produce().await;
    stage.advance(2 * DAY);
    produce().await;
    batch.seal().await.unwrap();
    produce().await;
    stage.finish("a").await;
    produce().await;
    batch.seal().await.unwrap();
    stage.run().await;
    assert_eq!(stage.kinds(), ["end", "failure", "first"]);
    let status = batch.status().await.unwrap();
    assert_eq!((status.added, status.completed, status.failed, status.cancelled), (7, 4, 1, 2));
}

async fn a_seal_that_is_repeated_after_the_end(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    add(&batch, &[Work::Complete]).await;
    for _ in 0..20 {
        batch.seal().await.unwrap();
        stage.run().await;
    }
    stage.finish("a").await;
    for _ in 0..20 {
        stage.queue.batches().find("a").await.unwrap().unwrap().seal().await.unwrap();
    }
    assert_eq!(stage.kinds(), ["end", "success"]);
}

/// At no call of its store is there a callback of a batch that does not say that it has ended.
async fn a_worker_that_dies_before_the_settle_has_enqueued_no_callback(stage: Stage) {
    for at in 0..DEATHS {
        let name = format!("a{at}");
        let batch = stage.batch(&name).open().await.unwrap();
        batch.seal().await.unwrap();
        stage.behind(stage.dying(at, false)).run().await;
        let end = JobId::new(format!("batch:{name}@{}/end", batch.seq().get())).unwrap();
        let has_ended = batch.status().await.unwrap().ended_at.is_some();
        assert_eq!(stage.meta(&end).await.is_some(), has_ended, "{at}");
        let _ = stage.queue.batches().abandon(&name).await;
    }
}

/// At each call of its store a worker dies, before or after the call took effect; another one goes
/// on. The batch fails first, ends at its time-out or is cancelled.
async fn a_worker_that_dies_at_any_call(stage: Stage) {
    let mut deaths = 0;
    for at in 0..DEATHS {
        for takes_effect in [false, true] {
            for ends_by in ["members", "time-out", "cancel"] {
                let name = format!("{ends_by}-{at}-{}", u8::from(takes_effect));
                deaths += usize::from(dies(&stage, &name, ends_by, (at, takes_effect)).await);
            }
        }
    }
    assert!(deaths > 24, "{deaths} of 48");
}

/// Such a callback is enqueued before the settle. A worker that dies between the two leaves it
/// there, and the next one adds no second.
async fn a_callback_in_another_queue_is_enqueued_once_though_workers_die(stage: Stage) {
    let reports: Queue<String> = Queue::new(stage.queue.storage().clone(), "reports").unwrap();
    let mut early = 0;
    for at in 0..DEATHS {
        for takes_effect in [false, true] {
            let name = format!("far-{at}-{}", u8::from(takes_effect));
            let batch = stage.queue.batch(&name).on_end(END, &"given".to_owned()).callbacks_in("reports");
            let batch = batch.open().await.unwrap();
            batch.seal().await.unwrap();
            stage.behind(stage.dying(at, takes_effect)).run().await;
            let id = format!("batch:{name}@{}/end", batch.seq().get());
            let life = async || reports.status(&id).await.unwrap().map(|status| status.meta.seq);
            let before = life().await;
            let has_ended = batch.status().await.unwrap().ended_at.is_some();
            early += usize::from(before.is_some() && !has_ended);
            stage.advance(2 * 60 * SECOND);
            stage.queue.storage().rescue(stage.queue.name(), 100, &queue::Policy::default()).await.unwrap();
            stage.finish(&name).await;
            let after = life().await.expect("it is enqueued");
            assert!(before.is_none_or(|before| before == after), "{name}");
        }
    }
    assert!(early > 0, "no worker died between the two");
}

async fn dies(stage: &Stage, name: &str, ends_by: &str, (at, takes_effect): (u64, bool)) -> bool {
    let batch = stage.batch(name).timeout(HOUR).open().await.unwrap();
    add(&batch, &[Work::Fail, Work::Complete]).await;
    if ends_by == "members" {
        batch.seal().await.unwrap();
    } else {
        batch.add_with("late", Work::Complete, JobOptions::new().delay(DAY)).await.unwrap();
    }
    if ends_by == "cancel" {
        let _ = stage.queue.batches().cancel(name).await.unwrap();
    }
    let mut has_died = false;
    for _ in 0..4 {
        let dying = stage.dying(at, takes_effect);
        stage.behind(dying.clone()).run().await;
        has_died |= dying.is_dead();
        // The lease of a worker that died lapses.
        stage.advance(if ends_by == "time-out" { HOUR } else { 2 * 60 * SECOND });
        let (queue, policy) = (stage.queue.name(), queue::Policy::default());
        stage.queue.storage().rescue(queue, 100, &policy).await.unwrap();
    }
    assert_eq!(stage.finish(name).await.state, State::Completed);
    // A callback of an earlier batch may run again, since its worker died.
    let given: Vec<_> = stage.called().into_iter().filter(|called| called.end.batch == name).collect();
    // A callback may run again if its worker dies, and is enqueued once.
    let lives: BTreeSet<_> = given.iter().map(|called| (called.kind, called.seq)).collect();
    let kinds: Vec<_> = lives.iter().map(|(kind, _)| *kind).collect();
    // A time-out may come before the first member that fails.
    let is_whole = kinds == ["end", "failure", "first"];
    assert!(is_whole || (ends_by == "time-out" && kinds == ["end", "failure"]), "{name}: {kinds:?}");
    let end = &given.iter().find(|called| called.kind == "end").unwrap().end;
    let added = if ends_by == "members" { 2 } else { 3 };
    assert_eq!(end.added, added, "{name}");
    assert_eq!((end.timed_out, end.was_cancelled), (ends_by == "time-out", ends_by == "cancel"), "{name}");
    has_died
}
