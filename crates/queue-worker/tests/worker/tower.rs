//! Handlers that are `tower` services, with real middleware.

use crate::support::{Rig, job, millis};
use queue_core::{Reason, RetryPolicy, State};
use queue_worker::{JobError, JobRequest, Router};
use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};
use tokio::time::sleep;
use tower::{
    BoxError, Service, ServiceBuilder, load_shed::error::Overloaded, service_fn, util::BoxCloneService,
};

type Request = JobRequest<u32>;

/// A service that works for a while, and notes how many calls run at once.
#[derive(Clone, Default)]
struct Gauge {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Gauge {
    async fn work(self, job: Request) -> Result<u32, JobError> {
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        sleep(millis(100)).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(job.payload * 2)
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    fn service(
        &self,
    ) -> impl Service<Request, Response = u32, Error = JobError, Future: Send> + Clone + Send + 'static {
        let gauge = self.clone();
        service_fn(move |job| gauge.clone().work(job))
    }
}

async fn result(rig: &Rig, name: &str) -> String {
    let result = rig.record(name).await.result().expect("completed").bytes.clone();
    String::from_utf8(result.to_vec()).expect("JSON")
}

#[tokio::test(start_paused = true)]
async fn a_service_gets_payload_and_context_and_its_response_is_the_result() {
    let rig = Rig::new();
    rig.enqueue([job("a", 20)]).await;
    let service = service_fn(|job: JobRequest<u32, &'static str>| async move {
        Ok::<_, Infallible>((job.payload, *job.context.state(), job.context.attempt()))
    });
    let router = Router::new("state").service("work", service).expect("one kind");
    let events = rig.events.clone();
    let worker = queue_worker::Worker::builder(rig.store.clone(), rig.queue.clone(), router);
    rig.drain(worker.on_event(move |event| events.push(event))).await;
    assert_eq!(result(&rig, "a").await, r#"[20,"state",1]"#);
}

#[tokio::test(start_paused = true)]
async fn a_concurrency_limit_of_the_service_holds_over_all_jobs() {
    let (rig, gauge) = (Rig::new(), Gauge::default());
    rig.enqueue((0..20).map(|n| job(&n.to_string(), n))).await;
    let service = ServiceBuilder::new().concurrency_limit(2).service(gauge.service());
    let router = Router::new(()).service("work", service).expect("one kind");
    let report = rig.drain(rig.worker(router).concurrency(8).prefetch(0)).await;
    assert_eq!((report.completed, gauge.most()), (20, 2));
    assert_eq!(
        rig.events.times_of("completed 19"),
        [1000],
        "two at a time, and none waits longer than it must"
    );
    assert_eq!(rig.store.log().claim_limits.iter().max(), Some(&8), "those that wait hold their places");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_waits_for_its_service_keeps_its_lease() {
    let (rig, gauge) = (Rig::new(), Gauge::default());
    rig.enqueue((0..8).map(|n| job(&n.to_string(), n))).await;
    let service = ServiceBuilder::new().concurrency_limit(1).service(gauge.service());
    let router = Router::new(()).service("work", service).expect("one kind");
    let report = rig.drain(rig.worker(router).concurrency(8).lease(millis(150))).await;
    assert_eq!((report.completed, report.rescued, report.leases_lost), (8, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_stop_takes_jobs_back_that_wait_for_their_service() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let endless = service_fn(|_: Request| std::future::pending::<Result<u32, Infallible>>());
    let service = ServiceBuilder::new().concurrency_limit(1).service(endless);
    let router = Router::new(()).service("work", service).expect("one kind");
    let running = Rig::start(rig.worker(router).drain_deadline(millis(100)).grace(millis(100)));
    rig.events.wait_for("started b").await;
    assert_eq!(running.stop().await.released, 2);
    assert_eq!(rig.meta("b").await.state, State::Queued);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_the_service_is_a_failed_attempt() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let service = service_fn(|job: Request| async move {
        sleep(millis(if job.context.attempt() < 3 { 5000 } else { 10 })).await;
        Ok::<_, Infallible>(job.payload)
    });
    let service = ServiceBuilder::new().timeout(millis(1000)).service(service);
    let router = Router::new(()).service("work", service).expect("one kind");
    rig.drain(rig.worker(router).retry(RetryPolicy::Fixed(Duration::from_millis(100)))).await;
    assert_eq!(rig.events.times_of("failing a"), [1000, 2100]);
    let meta = rig.meta("a").await;
    let error = meta.last_error.expect("of the attempt before");
    assert_eq!((meta.state, error.name(), error.message()), (State::Completed, "Error", "request timed out"));
}

#[tokio::test(start_paused = true)]
async fn load_that_is_shed_is_snoozed_where_the_program_says_so() {
    let (rig, gauge) = (Rig::new(), Gauge::default());
    rig.enqueue((0..6).map(|n| job(&n.to_string(), n))).await;
    let service = ServiceBuilder::new()
        .load_shed()
        .concurrency_limit(2)
        .map_err(JobError::into_error)
        .service(gauge.service());
    let snooze = |error: BoxError| {
        if error.is::<Overloaded>() { JobError::snooze(millis(150)) } else { error.into() }
    };
    let router = Router::new(()).service_with("work", service, snooze).expect("one kind");
    let report = rig.drain(rig.worker(router).concurrency(6)).await;
    assert_eq!((report.completed, report.failing, gauge.most()), (6, 0, 2));
    assert!(report.released >= 4, "{report:?}");
    assert_eq!(rig.meta("5").await.failures, 0, "nothing is charged");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_service_is_converted() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let service = service_fn(|_: Request| async { "x".parse::<u32>() });
    let router = Router::new(()).service("work", service).expect("one kind");
    rig.drain(rig.worker(router)).await;
    let meta = rig.meta("a").await;
    let error = meta.last_error.expect("stored");
    assert_eq!((meta.reason, error.name()), (Some(Reason::Exhausted), "ParseIntError"));
}

#[tokio::test(start_paused = true)]
async fn a_job_error_comes_through_layers_of_boxed_errors_as_it_was() {
    for (answer, label) in [
        (JobError::named("Own", "final").as_terminal(), "failed a"),
        (JobError::named("Own", "for now").retry_in(millis(77)), "failing a"),
        (JobError::snooze(millis(77)), "released a"),
        (JobError::release(), "released a"),
    ] {
        let rig = Rig::new();
        rig.enqueue([job("a", 1)]).await;
        let delay = answer.delay();
        let service = service_fn(move |job: Request| {
            let answer = if job.context.epoch() == 1 { Err(answer.clone()) } else { Ok(1) };
            async { answer }
        });
        let service =
            ServiceBuilder::new().timeout(millis(1000)).map_err(JobError::into_error).service(service);
        let service = BoxCloneService::new(ServiceBuilder::new().concurrency_limit(1).service(service));
        let router = Router::new(()).service("work", service).expect("one kind");
        rig.drain(rig.worker(router)).await;
        assert_eq!(rig.events.labels()[1], label);
        if let Some(delay) = delay {
            assert_eq!(u128::from(rig.events.times_of("started a")[1]), delay.as_millis());
        }
    }
}

/// A service that is ready only at times, and must not be called when it is not.
#[derive(Clone)]
struct Shy {
    polls: Arc<Mutex<u32>>,
    is_ready: bool,
}

impl Service<Request> for Shy {
    type Response = u32;
    type Error = JobError;
    type Future = std::future::Ready<Result<u32, JobError>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> Poll<Result<(), JobError>> {
        let mut polls = self.polls.lock().expect("unpoisoned");
        *polls += 1;
        match *polls {
            5 => return Poll::Ready(Err(JobError::named("Broken", "the service is down"))),
            n if n % 3 != 0 => {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            _ => {}
        }
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, job: Request) -> Self::Future {
        assert!(std::mem::take(&mut self.is_ready), "called without being ready");
        std::future::ready(Ok(job.payload))
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_is_called_only_when_ready_and_one_that_is_broken_fails_the_attempt() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2), job("c", 3)]).await;
    let shy = Shy { polls: Arc::default(), is_ready: false };
    let router = Router::new(()).service("work", shy).expect("one kind");
    let report = rig.drain(rig.worker(router).concurrency(1)).await;
    assert_eq!((report.completed, report.failing), (3, 1));
    assert_eq!(rig.meta("b").await.last_error.expect("stored").name(), "Broken");
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_behind_a_buffer_holds_over_all_jobs() {
    let (rig, gauge) = (Rig::new(), Gauge::default());
    rig.enqueue((0..6).map(|n| job(&n.to_string(), n))).await;
    let service = ServiceBuilder::new()
        .buffer(16)
        .rate_limit(2, millis(1000))
        .map_err(JobError::into_error)
        .service(gauge.service());
    let router = Router::new(()).service("work", service).expect("one kind");
    rig.drain(rig.worker(router).concurrency(6)).await;
    let mut ends: Vec<u64> = (0..6).flat_map(|n| rig.events.times_of(&format!("completed {n}"))).collect();
    ends.sort_unstable();
    assert_eq!(ends, [100, 100, 1100, 1100, 2100, 2100]);
}

#[tokio::test(start_paused = true)]
async fn a_kind_has_one_handler_be_it_a_service_or_not() {
    let service = || service_fn(|job: Request| async move { Ok::<_, Infallible>(job.payload) });
    let router = Router::new(()).handle("work", |n: u32, _| async move { Ok(n) });
    assert!(router.expect("one kind").service("work", service()).is_err());
    assert!(Router::new(()).service("", service()).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_job_told_to_stop_while_it_waited_for_its_service_is_not_called() {
    let (rig, calls) = (Rig::new(), Arc::new(AtomicUsize::new(0)));
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let called = calls.clone();
    let service = service_fn(move |job: Request| {
        called.fetch_add(1, Ordering::SeqCst);
        async move {
            sleep(millis(1000)).await;
            Ok::<_, Infallible>(job.payload)
        }
    });
    let service = ServiceBuilder::new().concurrency_limit(1).service(service);
    let router = Router::new(()).service("work", service).expect("one kind");
    let running = Rig::start(rig.worker(router).drain_deadline(millis(100)));
    rig.events.wait_for("started b").await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.released, calls.load(Ordering::SeqCst)), (1, 1, 1));
}
