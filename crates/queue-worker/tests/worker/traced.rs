//! What a subscriber of `tracing` sees of a worker.

use crate::support::{Fault, Rig, job, router};
use parking_lot::Mutex;
use queue_core::ErrorKind;
use queue_worker::{Context, JobError};
use std::{io, sync::Arc};
use tracing::{Level, subscriber::DefaultGuard};
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

/// The lines that a program would write with the usual subscriber, without times and colours.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Captures the lines of the test's thread while the guard lives.
    pub(crate) fn of(level: Level) -> (Self, DefaultGuard) {
        // With a single subscriber, `tracing` asks only the one of the thread that first meets a
        // span whether it is wanted, so a test without a subscriber would decide for this one. A
        // global default makes two.
        drop(tracing::subscriber::set_global_default(tracing_subscriber::registry()));
        let lines = Self::default();
        let subscriber = tracing_subscriber::fmt().with_max_level(level).with_writer(lines.clone());
        let subscriber = subscriber.without_time().with_ansi(false).with_span_events(FmtSpan::CLOSE).finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    fn of_worker(&self, containing: &str) -> Vec<String> {
        let written = self.0.lock().clone();
        let written = String::from_utf8(written).expect("it is text");
        written.lines().filter(|line| line.contains(containing)).map(str::to_owned).collect()
    }

    pub(crate) fn only(&self, containing: &str) -> String {
        let lines = self.of_worker(containing);
        assert_eq!(lines.len(), 1, "{containing:?}: {lines:?}");
        lines.concat()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_handler_logs_names_its_job() {
    let (lines, _guard) = Lines::of(Level::INFO);
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, _| async move {
        tokio::task::yield_now().await;
        tracing::info!("from the handler");
        Ok(())
    });
    rig.drain(rig.worker(handler)).await;
    let line = lines.only("from the handler");
    let span = format!("process{{queue={} id=a seq=1 attempt=1 kind=work worker=tester", rig.queue);
    assert!(line.contains(&span), "{line}");
    assert!(lines.only("close").contains(r#"outcome="completed""#));
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_is_told_with_its_error_and_a_second_one_has_a_span_of_its_own() {
    let (lines, _guard) = Lines::of(Level::INFO);
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        if context.attempt() == 1 { Err(JobError::named("Smtp", "no route")) } else { Ok(()) }
    });
    rig.drain(rig.worker(handler)).await;
    let line = lines.only("the attempt failed");
    assert!(line.contains("WARN process{") && line.contains("attempt=1"), "{line}");
    assert!(line.contains("Smtp") && line.contains("no route"), "{line}");
    let closed = lines.of_worker("close");
    assert_eq!(closed.len(), 2, "{closed:?}");
    assert!(closed[0].contains(r#"outcome="failed""#) && closed[1].contains("attempt=2"), "{closed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_names_its_job_where_warnings_alone_are_logged() {
    let (lines, _guard) = Lines::of(Level::WARN);
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        if context.attempt() == 1 { Err(JobError::named("Smtp", "no route")) } else { Ok(()) }
    });
    rig.drain(rig.worker(handler)).await;
    let line = lines.only("the attempt failed");
    let job = format!("queue={} id=a seq=1 attempt=1 kind=work", rig.queue);
    assert!(line.contains(&job) && line.contains("no route"), "{line}");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_put_off_or_given_back_says_so() {
    let (lines, _guard) = Lines::of(Level::DEBUG);
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let handler = router(|_, context: Context| async move {
        match context.epoch() {
            1 => Err(JobError::snooze(crate::support::millis(10))),
            2 => Err(JobError::release()),
            _ => Ok(()),
        }
    });
    rig.drain(rig.worker(handler)).await;
    for (outcome, times) in [("snoozed", 1), ("released", 1), ("completed", 1)] {
        let ended = lines.of_worker(&format!(r#"outcome="{outcome}""#));
        let told = ended.iter().filter(|line| line.contains("the attempt ended")).count();
        assert_eq!(told, times, "{outcome}: {ended:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_serve_many_jobs_have_spans_that_tell_how_many_and_what_went_wrong() {
    let (lines, _guard) = Lines::of(Level::TRACE);
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let mut refusals = vec![Fault::Refuse(ErrorKind::Unavailable)];
    rig.store.script().on_settle = Some(Box::new(move |_| refusals.pop().unwrap_or(Fault::None)));
    let handler = router(|_, _| async move {
        tokio::time::sleep(crate::support::millis(60_000)).await;
        Ok(())
    });
    rig.drain(rig.worker(handler)).await;
    let closed = |name: &str| lines.of_worker(&format!("{name}{{"));
    assert!(closed("claim").iter().any(|line| line.contains("jobs=2")), "{:?}", closed("claim"));
    assert!(closed("heartbeat").iter().any(|line| line.contains("jobs=2")), "{:?}", closed("heartbeat"));
    let settles = closed("settle");
    assert!(settles.iter().any(|line| line.contains("error=")), "{settles:?}");
    assert!(settles.iter().any(|line| line.contains("jobs=") && !line.contains("error=")), "{settles:?}");
}
