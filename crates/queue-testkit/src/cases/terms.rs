//! The terms of a job, into which no store looks.

use super::{
    cases,
    import::{import_one, whole},
};
use crate::bench::prelude::*;
use queue_core::{
    Budget, Imported, JobTerms, Kind, ListQuery, NewJob, OnWaiting, Retention, RetentionPolicy, SharedTerms,
    Span,
    lifecycle::{Amendment, Event},
};

cases! { "terms":
    each_term_is_kept_and_comes_with_claims_and_reads [I2];
    terms_stay_through_a_life [I2 I7];
    what_follows_has_terms_of_its_own [I2 I9];
    a_new_life_has_terms_of_its_own [I2 I9];
    an_amendment_of_one_term_keeps_the_others [I2];
    an_amendment_may_bring_the_first_term_and_take_the_last [I2];
    a_moved_job_keeps_its_terms [I2] (Import);
    terms_outlive_their_handle [I21] (Reopen);
}

/// A term that a newer version of this library may have, as its bytes are.
fn newer() -> JobTerms {
    JobTerms::from_bytes(b"\x01\x01\xf0\x00\x05later").expect("terms of a newer version")
}

/// Every term, each of another value than most jobs have.
fn every_term() -> JobTerms {
    JobTerms {
        max_attempts: Budget::from_raw(9),
        max_stalls: Budget::Unlimited,
        time_limit: Some(Span::from_millis(1_234_567)),
        on_failure: Some(Kind::from_static("mourn")),
        retention: RetentionPolicy { completed: Retention::Keep(LEASE), failed: Retention::Forever },
        ..newer()
    }
}

fn with_terms(text: &str, terms: JobTerms) -> NewJob {
    NewJob { terms: terms.into(), ..job(text) }
}

/// Jobs of one term each, one of all and a plain one, which stand beside each other in one call.
fn of_each_term() -> Vec<NewJob> {
    let JobTerms { max_attempts, max_stalls, time_limit, on_failure, retention, newer } = every_term();
    let plain = || JobTerms::PLAIN;
    [
        plain(),
        JobTerms { max_attempts, ..plain() },
        JobTerms { max_stalls, ..plain() },
        JobTerms { time_limit, ..plain() },
        JobTerms { on_failure, ..plain() },
        plain(),
        JobTerms { retention, ..plain() },
        JobTerms { newer, ..plain() },
        every_term(),
    ]
    .into_iter()
    .enumerate()
    .map(|(n, terms)| NewJob { id: nth(n), terms: terms.into(), ..job("a") })
    .collect()
}

async fn each_term_is_kept_and_comes_with_claims_and_reads(bench: &Bench) {
    let jobs = of_each_term();
    let terms: Vec<SharedTerms> = jobs.iter().map(|job| job.terms.clone()).collect();
    bench.enqueue_groups(vec![jobs.clone()]).await;
    for job in &jobs {
        assert_eq!(bench.meta(job.id.as_str()).await.terms, job.terms);
    }
    let listed = bench.list(ListQuery::all(bench.queue().clone(), 100)).await;
    for job in &jobs {
        let found = listed.iter().find(|meta| meta.id == job.id).expect("it is listed");
        assert_eq!(found.terms, job.terms);
    }
    let claimed = bench.claim(jobs.len()).await;
    assert_eq!(claimed.iter().map(|job| job.record.meta.terms.clone()).collect::<Vec<_>>(), terms);
}

async fn terms_stay_through_a_life(bench: &Bench) {
    bench.put_job(with_terms("a", every_term())).await;
    bench.fail(&bench.claim_one().await).await;
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    assert_eq!(*held.record.meta.terms, every_term());
    bench.settled(&held, extend(held.token, LEASE)).await;
    assert_eq!(*bench.fail_terminally(&held).await.terms, every_term());
    bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_eq!(*bench.meta("a").await.terms, every_term());
}

async fn what_follows_has_terms_of_its_own(bench: &Bench) {
    bench.put_job(with_terms("a", every_term())).await;
    let held = bench.claim_one().await;
    let next =
        vec![job("plain"), with_terms("rich", JobTerms { max_stalls: Budget::from_raw(7), ..newer() })];
    bench.settled(&held, complete_then(held.token, next.clone())).await;
    for job in next {
        assert_eq!(bench.meta(job.id.as_str()).await.terms, job.terms);
    }
}

/// A life that takes the place of a waiting one, and one that begins after another has ended.
async fn a_new_life_has_terms_of_its_own(bench: &Bench) {
    let replace = |terms| with_terms("a", terms).with_on_waiting(OnWaiting::Replace { max_wait: None });
    bench.put_job(replace(every_term())).await;
    bench.put_job(replace(JobTerms::PLAIN)).await;
    assert_eq!(*bench.meta("a").await.terms, JobTerms::PLAIN);
    bench.put_job(replace(newer())).await;
    assert_eq!(*bench.meta("a").await.terms, newer());
}

async fn an_amendment_of_one_term_keeps_the_others(bench: &Bench) {
    bench.put_job(with_terms("a", every_term())).await;
    let retention = RetentionPolicy::from(Retention::Keep(STALL));
    let change = Amendment { retention: Some(retention), ..Amendment::default() };
    bench.changed("a", Event::Amend(change)).await;
    let expected = JobTerms { retention, ..every_term() };
    assert_eq!(*bench.meta("a").await.terms, expected);
    bench.changed("a", Event::Amend(Amendment::of_priority(-1))).await;
    assert_eq!(*bench.claim_one().await.record.meta.terms, expected);
}

async fn an_amendment_may_bring_the_first_term_and_take_the_last(bench: &Bench) {
    bench.put_job(with_terms("a", JobTerms::PLAIN).with_tags(tags(["t"]))).await;
    let plain = JobTerms::PLAIN.retention;
    for retention in [Retention::Forever.into(), plain, Retention::Remove.into()] {
        let change = Amendment { retention: Some(retention), ..Amendment::default() };
        bench.changed("a", Event::Amend(change)).await;
        let meta = bench.meta("a").await;
        assert_eq!(*meta.terms, JobTerms { retention, ..JobTerms::PLAIN });
        assert_eq!(meta.tags, tags(["t"]));
    }
}

async fn a_moved_job_keeps_its_terms(bench: &Bench) {
    let from = bench.on_queue("from");
    for (text, terms) in [("rich", every_term()), ("plain", JobTerms::PLAIN)] {
        from.put_job(with_terms(text, terms.clone())).await;
        let answer = import_one(bench, whole(&from, text).await).await;
        assert!(matches!(answer, Imported::Stored { .. }), "{answer:?}");
        assert_eq!(*bench.meta(text).await.terms, terms);
    }
}

async fn terms_outlive_their_handle(bench: &Bench) {
    let jobs = of_each_term();
    bench.enqueue_groups(vec![jobs.clone()]).await;
    bench.reopen().await;
    for job in jobs {
        assert_eq!(bench.meta(job.id.as_str()).await.terms, job.terms);
    }
}
