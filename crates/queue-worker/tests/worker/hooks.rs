//! Hooks around the execution of a job.

use crate::support::{Rig, job, millis, router, span};
use async_trait::async_trait;
use queue_core::{ContentType, Keep, Payload, Reason, Retention, RetryPolicy, State};
use queue_worker::{
    AttemptResult, Before, Context, Hook, JobError, Router, after_fn, before_fn, runtime::BoxError,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::sleep;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

fn failing() -> Router {
    router(|_, _| async { Err::<(), _>(JobError::named("Test", "it fails").as_terminal()) })
}

fn text(text: &str) -> Payload {
    Payload::new(text.to_owned(), ContentType::from_static("text/plain"))
}

/// A hook that changes the handler's result.
fn changing(change: impl Fn(&mut AttemptResult) + Clone + Send + Sync + 'static) -> impl Hook {
    after_fn(move |_, mut executed| {
        let change = change.clone();
        async move {
            change(&mut executed);
            Ok(executed)
        }
    })
}

/// What hooks did, in order.
type Log = Arc<Mutex<Vec<String>>>;

/// A hook that logs its calls, and gives the answer that it was made with.
struct Noting {
    name: &'static str,
    log: Log,
    before: Before,
}

#[async_trait]
impl Hook for Noting {
    fn name(&self) -> &str {
        self.name
    }

    async fn before(&self, _: &Context) -> Result<Before, BoxError> {
        self.log.lock().expect("unpoisoned").push(format!("before {}", self.name));
        Ok(self.before.clone())
    }

    async fn after(&self, _: &Context, executed: AttemptResult) -> Result<AttemptResult, BoxError> {
        self.log.lock().expect("unpoisoned").push(format!("after {}", self.name));
        Ok(executed)
    }
}

fn noting(name: &'static str, log: &Log) -> Noting {
    Noting { name, log: log.clone(), before: Before::Run }
}

fn lines(log: &Log) -> Vec<String> {
    log.lock().expect("unpoisoned").clone()
}

#[tokio::test(start_paused = true)]
async fn hooks_go_in_the_order_of_adding_before_and_in_reverse_after() {
    let (rig, log) = (Rig::new(), Log::default());
    rig.enqueue([job("a", 1)]).await;
    let seen = log.clone();
    let handler = router(move |_, _| {
        seen.lock().expect("unpoisoned").push("handler".to_owned());
        async { Ok(()) }
    });
    rig.drain(rig.worker(handler).hook(noting("1", &log)).hook(noting("2", &log))).await;
    assert_eq!(lines(&log), ["before 1", "before 2", "handler", "after 2", "after 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_answers_keeps_the_job_from_those_within_and_those_without_hear_of_it() {
    let (rig, log) = (Rig::new(), Log::default());
    rig.enqueue([job("a", 1)]).await;
    let refusing = Noting {
        before: Before::Answer(Err(JobError::named("No", "not this one").as_terminal())),
        ..noting("2", &log)
    };
    let worker = rig.worker(succeeding()).hook(noting("1", &log)).hook(refusing).hook(noting("3", &log));
    let report = rig.drain(worker).await;
    assert_eq!(lines(&log), ["before 1", "before 2", "after 1"]);
    assert_eq!((report.started, report.failed), (0, 1));
    let meta = rig.meta("a").await;
    assert_eq!((meta.reason, meta.last_error.expect("stored").name()), (Some(Reason::Terminal), "No"));
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_fail_a_job_for_now_without_running_it() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let hook = before_fn(|job: Context| async move {
        Ok(match job.attempt() {
            1 => Before::Answer(Err(JobError::named("Later", "not yet").retry_in(millis(70)))),
            _ => Before::Run,
        })
    });
    rig.drain(rig.worker(succeeding()).hook(hook)).await;
    assert_eq!(rig.events.labels(), ["failing a", "started a", "completed a"]);
    assert_eq!((rig.events.times_of("started a"), rig.meta("a").await.failures), (vec![70], 1));
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_snooze_a_job_without_charging_it() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let hook = before_fn(|job: Context| async move {
        Ok(if job.epoch() < 3 { Before::Answer(Err(JobError::snooze(millis(500)))) } else { Before::Run })
    });
    let report = rig.drain(rig.worker(succeeding()).hook(hook)).await;
    assert_eq!((report.started, report.released, report.completed), (1, 2, 1));
    assert_eq!((rig.events.times_of("started a"), rig.meta("a").await.failures), (vec![1000], 0));
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_complete_a_job_without_running_it() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let hook = before_fn(|_| async { Ok(Before::Answer(Ok(text("known already")))) });
    let report = rig.drain(rig.worker(failing()).hook(hook)).await;
    assert_eq!(rig.record("a").await.result(), Some(&text("known already")));
    assert_eq!((report.started, report.completed), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_change_the_result() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let first = changing(|it| it.outcome = it.outcome.clone().map(|old| text(&format!("<{:?}>", old.bytes))));
    let inner = changing(|it| it.outcome = Ok(text("inner")));
    rig.drain(rig.worker(succeeding()).hook(first).hook(inner)).await;
    assert_eq!(
        rig.record("a").await.result(),
        Some(&text("<b\"inner\">")),
        "the outer sees what the inner left"
    );
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_turn_a_failure_into_a_result_and_a_result_into_a_failure() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.drain(rig.worker(failing()).hook(changing(|it| it.outcome = Ok(text("never mind"))))).await;
    assert_eq!(rig.meta("a").await.state, State::Completed);

    rig.enqueue([job("b", 1)]).await;
    let refuse = |it: &mut AttemptResult| it.outcome = Err(JobError::named("Unfit", "no good").as_terminal());
    rig.drain(rig.worker(succeeding()).hook(changing(refuse))).await;
    assert_eq!(rig.meta("b").await.last_error.expect("stored").name(), "Unfit");
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_change_error_delay_and_finality() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let soften = changing(|it| {
        it.outcome = it.outcome.clone().map_err(|error| match error.failure() {
            Some(failure) if error.is_terminal() => {
                JobError::named("Softened", failure.message().to_uppercase()).retry_in(millis(33))
            }
            _ => error,
        });
    });
    rig.drain(rig.worker(failing()).retry(RetryPolicy::Fixed(Duration::from_secs(5))).hook(soften)).await;
    let meta = rig.meta("a").await;
    let error = meta.last_error.expect("stored");
    assert_eq!(
        (error.name(), error.message(), meta.reason),
        ("Softened", "IT FAILS", Some(Reason::Exhausted))
    );
    assert_eq!(rig.events.times_of("started a"), [0, 33, 66]);
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_make_a_failure_final() {
    let rig = Rig::new();
    let ended = changing(|it| it.outcome = it.outcome.clone().map_err(JobError::as_terminal));
    let once = router(|_, _| async { Err::<(), _>(JobError::named("Test", "it fails")) });
    rig.enqueue([job("a", 1)]).await;
    let report = rig.drain(rig.worker(once).hook(ended)).await;
    assert_eq!((report.failing, report.failed), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_change_how_long_a_result_stays() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2).with_retention(Retention::Remove)]).await;
    let keep = after_fn(|job: Context, mut executed| async move {
        let is_a = job.meta().id.as_str() == "a";
        executed.keep = Some(if is_a { Keep::Nothing } else { Keep::For(Duration::from_secs(7)) });
        Ok(executed)
    });
    let report = rig.drain(rig.worker(succeeding()).hook(keep)).await;
    assert_eq!((report.completed, rig.find("a").await), (2, None));
    let meta = rig.meta("b").await;
    assert_eq!(meta.purge_at, meta.finished_at.map(|at| at + span(7000)));
}

#[tokio::test(start_paused = true)]
async fn a_hook_is_stronger_than_the_handler_on_how_long_a_failure_stays() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async {
        Err::<(), _>(JobError::named("Test", "it fails").as_terminal().keep(Keep::Nothing))
    });
    let keep = changing(|it| it.keep = Some(Keep::Forever));
    rig.drain(rig.worker(handler).hook(keep)).await;
    assert_eq!((rig.meta("a").await.state, rig.meta("a").await.purge_at), (State::Failed, None));
}

#[tokio::test(start_paused = true)]
async fn a_hook_sees_the_job_and_how_long_its_handler_ran() {
    let (rig, log) = (Rig::new(), Log::default());
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async {
        sleep(millis(1234)).await;
        Ok(())
    });
    let seen = log.clone();
    let hook = after_fn(move |job: Context, executed: AttemptResult| {
        let line = format!("{} {:?}", job.meta().id, executed.ran_for().expect("it ran"));
        seen.lock().expect("unpoisoned").push(line);
        async { Ok(executed) }
    });
    let slow = before_fn(|_| async {
        sleep(millis(500)).await;
        Ok(Before::Run)
    });
    rig.drain(rig.worker(handler).hook(hook).hook(slow)).await;
    assert_eq!(lines(&log), ["a 1.234s"]);
}

#[tokio::test(start_paused = true)]
async fn hooks_hear_of_panics() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async {
        assert!(rig_is_calm(), "the handler cannot stand it");
        Ok(())
    });
    let forgive = changing(|it| {
        let is_panic =
            it.outcome.as_ref().is_err_and(|error| error.failure().expect("one").name() == "Panic");
        it.outcome = Ok(text(if is_panic { "forgiven" } else { "?" }));
    });
    rig.drain(rig.worker(handler).hook(forgive)).await;
    assert_eq!(rig.record("a").await.result(), Some(&text("forgiven")));
}

fn rig_is_calm() -> bool {
    std::hint::black_box(false)
}
