//! How a store goes on from imported records.

use super::{import, import_one, request, waiting, whole};
use crate::{bench::prelude::*, cases::cases};
use futures_util::StreamExt;
use queue_core::{ImportRequest, Imported, Interest, ListQuery, Seq, State, lifecycle::Event};

cases! { "import":
    a_repeated_batch_changes_nothing [I9 I20] (Import);
    an_id_that_is_taken_is_left_alone_whatever_its_state [I9] (Import);
    an_id_twice_in_a_batch_is_stored_once [I9] (Import);
    claims_follow_priority_and_time_and_then_the_batch [I11 I12] (Import);
    numbers_go_on_behind_those_of_the_other_store [I2 I9] (Import);
    a_batch_without_jobs_raises_the_numbers_alone [I2] (Import Reopen);
    a_claim_of_a_moved_job_has_a_higher_epoch [I4] (Import);
    a_moved_failure_is_redriven_and_a_moved_wait_is_promoted [I6 I7] (Import);
    a_moved_job_that_waits_wakes [I15] (Import Hints);
}

async fn a_repeated_batch_changes_nothing(bench: &Bench) {
    let jobs = waiting(bench, &["a", "b"]).await;
    let first = import(bench, jobs.clone()).await;
    bench.advance(MILLI);
    let before = [whole(bench, "a").await, whole(bench, "b").await];
    let again = import(bench, jobs).await;
    for (first, again) in first.iter().zip(again) {
        let Imported::Stored { seq } = *first else { panic!("{first:?}") };
        assert_eq!(again, Imported::Taken { seq });
    }
    assert_eq!([whole(bench, "a").await, whole(bench, "b").await], before);
    assert_eq!(bench.counts().await.of(State::Queued), 2);
}

async fn an_id_that_is_taken_is_left_alone_whatever_its_state(bench: &Bench) {
    let texts = ["completed", "failed", "failing", "cancelled", "processing", "queued"];
    let jobs = waiting(bench, &texts).await;
    bench.put_one_of_each().await;
    let mut before = Vec::new();
    for text in texts {
        before.push(whole(bench, text).await);
    }
    let answers = import(bench, jobs).await;
    for ((text, before), answer) in texts.into_iter().zip(before).zip(answers) {
        assert_eq!(answer, Imported::Taken { seq: before.meta.seq }, "{text}");
        assert_eq!(whole(bench, text).await, before, "{text}");
    }
}

async fn an_id_twice_in_a_batch_is_stored_once(bench: &Bench) {
    let job = waiting(bench, &["a"]).await.remove(0);
    let answers = import(bench, vec![job.clone(), job]).await;
    let Imported::Stored { seq } = answers[0] else { panic!("{answers:?}") };
    assert_eq!(answers[1], Imported::Taken { seq });
}

async fn claims_follow_priority_and_time_and_then_the_batch(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_job(job("later").with_delay(RETRY)).await;
    from.put_job(job("urgent").with_priority(-1)).await;
    let mut jobs = waiting(bench, &["c", "a", "b"]).await;
    jobs.push(whole(&from, "later").await);
    jobs.push(whole(&from, "urgent").await);
    import(bench, jobs).await;
    assert_eq!(bench.claim_ids(9).await, ["urgent", "c", "a", "b"]);
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(9).await, ["later"]);
}

async fn numbers_go_on_behind_those_of_the_other_store(bench: &Bench) {
    let jobs = waiting(bench, &["a", "b"]).await;
    let here = bench.put("here").await;
    let after = Seq::new(here.get() + 5_000_000);
    let sent = ImportRequest { after, ..request(bench, jobs) };
    let answers = bench.store().import(sent).await.expect("import answers").value;
    let (a, b) = (bench.meta("a").await.seq, bench.meta("b").await.seq);
    assert_eq!(answers, [Imported::Stored { seq: a }, Imported::Stored { seq: b }]);
    let next = bench.put("next").await;
    assert!(here < after && after < a && a < b && b < next, "{here} {after} {a} {b} {next}");
    let listed = bench.list_ids(ListQuery::all(bench.queue().clone(), 2)).await;
    assert_eq!(listed, ["here", "a", "b", "next"]);
}

async fn a_batch_without_jobs_raises_the_numbers_alone(bench: &Bench) {
    let after = Seq::new(7_000_000);
    let sent = ImportRequest { after, ..request(bench, Vec::new()) };
    assert_eq!(bench.store().import(sent).await.expect("import answers").value, []);
    bench.reopen().await;
    // A lower number changes nothing.
    assert_eq!(import(bench, Vec::new()).await, []);
    assert!(bench.put("a").await > after);
}

async fn a_claim_of_a_moved_job_has_a_higher_epoch(bench: &Bench) {
    let from = bench.on_queue("from");
    let held = from.put_and_claim("a").await;
    from.release(&held).await;
    let before = whole(&from, "a").await;
    import_one(bench, before.clone()).await;
    let now_held = bench.claim_one().await;
    let meta = &now_held.record.meta;
    assert_eq!((meta.epoch, meta.revision), (before.meta.epoch + 1, before.meta.revision + 1));
    let body = now_held.record.body.as_ref().expect("a claim brings it");
    assert_eq!(body, &before.body);
    bench.complete(&now_held).await;
    assert_eq!(from.state("a").await, Some(State::Queued), "the other one is as it was");
}

async fn a_moved_failure_is_redriven_and_a_moved_wait_is_promoted(bench: &Bench) {
    let from = bench.on_queue("from");
    from.put_one_of_each().await;
    from.put_job(job("scheduled").with_delay(KEPT)).await;
    let jobs = vec![
        whole(&from, "failed").await,
        whole(&from, "cancelled").await,
        whole(&from, "failing").await,
        whole(&from, "scheduled").await,
    ];
    import(bench, jobs).await;
    for text in ["failed", "cancelled"] {
        bench.changed(text, Event::Redrive { content_type: None }).await;
    }
    bench.changed("scheduled", Event::Promote).await;
    bench.advance(RETRY);
    for held in bench.claim(9).await {
        bench.complete(&held).await;
    }
    assert_eq!(bench.counts().await.of(State::Completed), 4);
    bench.changed("failed", Event::Delete).await;
    assert_eq!(bench.find("failed").await, None);
}

async fn a_moved_job_that_waits_wakes(bench: &Bench) {
    let jobs = waiting(bench, &["a"]).await;
    let mut hints = bench.store().subscribe(bench.queue(), Interest::Wake).await.expect("it subscribes");
    import(bench, jobs).await;
    assert!(hints.next().await.is_some());
}
