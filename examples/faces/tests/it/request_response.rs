//! Tests of requests and responses: shared runs, kept responses, cancels, recovery and shutdown.

use crate::stores::{on_each_store, on_manual_clocks, tells, until};
use futures_util::future::join_all;
use queue::{Change, Enqueued, ErrorKind, MsgPack, Queue, Settled, State, WaitError, worker::JobError};
use queue_faces::{
    Result, Stage,
    request_response::{RequestQueue, demo},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

const HOUR: Duration = Duration::from_hours(1);
const PATIENT: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(2);

type Doubles = RequestQueue<u32, u32>;

fn doubles(stage: &Stage) -> Doubles {
    Doubles::new(stage.store(), stage.queue()).expect("valid")
}

/// Runs a consumer that counts its runs while `client` does something.
async fn consumed(stage: &Stage, client: impl AsyncFnOnce(&Doubles, &AtomicU32)) {
    let (doubles, runs) = (doubles(stage), Arc::new(AtomicU32::new(0)));
    let counted = runs.clone();
    let consumer = doubles.consumer(move |n, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move { if n == 13 { Err(JobError::named("Unlucky", n).as_terminal()) } else { Ok(n * 2) } }
    });
    let consumer = consumer.expect("valid").build().expect("valid");
    let stop = consumer.stop_token();
    let (_report, ()) = tokio::join!(consumer.run(), async {
        client(&doubles, &runs).await;
        stop.cancel();
    });
}

#[tokio::test]
async fn the_demonstration_tells_what_happens() {
    let expected = [
        "sum-1 submitted: true; without a consumer: no answer by the deadline",
        "sum-2 submitted: true, cancelled: Done",
        "sum-2: the job was cancelled",
        "a consumer starts",
        "five calls of sum-1: 6, 6, 6, 6, 6; it ran 1 times",
        "sum-1 again: 6; it ran 1 times",
        "kept for an hour: true; then for five minutes: Done, true",
        "sum-3 is cancelled while it runs: Requested; its caller: the job was cancelled",
        "the consumer is told to stop; sum-5 submitted: true",
        "sum-4, which ran: 15",
        "the consumer has ended",
        "a consumer takes sum-5 and dies",
        "3 recoverers gave it back; stalls charged: 1",
        "the dead consumer's answer is refused: true",
        "sum-5 with a new consumer: 19, on attempt 2",
    ];
    tells(demo, &expected).await;
}

#[tokio::test]
async fn many_callers_of_one_request_share_one_run_and_each_gets_the_response() {
    on_each_store(async |stage| {
        consumed(stage, async |doubles, runs| {
            let calls = (0..50).map(|n| doubles.request(["a", "b"][n % 2], 21, HOUR, PATIENT));
            let answers = join_all(calls).await;
            assert!(answers.iter().all(|answer| matches!(answer, Ok(42))), "{answers:?}");
            assert_eq!(runs.load(Ordering::SeqCst), 2);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_request_that_fails_says_so_to_everybody_and_is_not_run_again() {
    on_each_store(async |stage| {
        consumed(stage, async |doubles, runs| {
            for _ in 0..2 {
                let answer = doubles.request("a", 13, HOUR, PATIENT).await;
                assert!(matches!(&answer, Err(WaitError::Failed { .. })), "{answer:?}");
            }
            assert_eq!(runs.load(Ordering::SeqCst), 1);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_response_is_kept_as_long_as_its_request_said_unless_that_is_changed() {
    on_manual_clocks(async |stage, clock| {
        let doubles = doubles(stage);
        for id in ["short", "changed"] {
            assert!(doubles.submit(id, 1, HOUR).await.expect("stores").is_new());
        }
        let consumer = doubles.consumer(|n, _| async move { Ok::<_, JobError>(n * 2) }).expect("valid");
        consumer.until_idle().build().expect("valid").run().await;
        assert_eq!(doubles.keep("changed", 2 * HOUR).await.expect("changes"), Change::Done);

        clock.advance(Duration::from_millis(3_599_999));
        let found = doubles.submit("short", 1, HOUR).await.expect("answers");
        assert!(matches!(found, Enqueued::Completed { result: 2, .. }), "{found:?}");
        clock.advance(Duration::from_millis(1));
        assert!(doubles.status("short").await.expect("reads").is_none());
        assert!(doubles.status("changed").await.expect("reads").is_some());
        assert!(doubles.submit("short", 1, HOUR).await.expect("stores").is_new());
    })
    .await;
}

#[tokio::test]
async fn a_request_can_be_taken_back_while_it_waits_and_not_once_it_is_answered() {
    on_each_store(async |stage| {
        let alone = doubles(stage);
        assert_eq!(alone.cancel("a").await.expect("answers"), Change::Missing);
        assert!(alone.submit("a", 1, HOUR).await.expect("stores").is_new());
        assert_eq!(alone.cancel("a").await.expect("answers"), Change::Done);
        let answer = alone.response("a", PATIENT).await;
        assert!(matches!(answer, Err(WaitError::Cancelled { reason: None })), "{answer:?}");
        consumed(stage, async |doubles, runs| {
            assert_eq!(doubles.request("b", 1, HOUR, PATIENT).await.expect("answered"), 2);
            assert_eq!(doubles.cancel("b").await.expect("answers"), Change::NotAllowed(State::Completed));
            assert_eq!(runs.load(Ordering::SeqCst), 1, "a cancelled request ran");
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn each_lapse_is_charged_once_however_many_recoverers_look() {
    on_each_store(async |stage| {
        let doubles = doubles(stage);
        let dying: Queue<u32, u32> = Queue::builder(stage.store(), stage.queue())
            .codec(MsgPack)
            .lease(Duration::from_secs(2))
            .build()
            .expect("valid");
        for n in 0..10 {
            assert!(doubles.submit(&format!("{n}"), n, HOUR).await.expect("stores").is_new());
        }
        let lost = dying.dequeue_many(10, PATIENT).await.expect("claims");
        assert_eq!(lost.len(), 10);

        let stop = CancellationToken::new();
        let recoverers: Vec<_> = (0..4).map(|_| doubles.recoverer(LOOK).expect("valid")).collect();
        let running = join_all(recoverers.iter().map(|recoverer| recoverer.run(stop.clone())));
        tokio::join!(running, async {
            until(async || dying.counts().await.expect("counts").of(State::Processing) == 0).await;
            stop.cancel();
        });
        for job in &lost {
            let status = doubles.status(job.id().as_str()).await.expect("reads").expect("is there");
            assert_eq!((status.state(), status.meta.stalls), (State::Failing, 1));
            assert_eq!(job.ack(&0).await.expect("answers"), Settled::LeaseLost);
        }
    })
    .await;
}

#[tokio::test]
async fn a_consumer_that_is_stopped_answers_what_it_began_and_gives_the_rest_back() {
    on_each_store(async |stage| {
        let doubles = doubles(stage);
        for id in ["a", "b", "c"] {
            assert!(doubles.submit(id, 21, HOUR).await.expect("stores").is_new());
        }
        let (begun, allowed) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let (begins, is_allowed) = (begun.clone(), allowed.clone());
        let consumer = doubles.consumer(move |n, _| {
            begins.add_permits(1);
            let is_allowed = is_allowed.clone();
            async move {
                is_allowed.acquire().await?.forget();
                Ok(n * 2)
            }
        });
        let consumer = consumer.expect("valid").concurrency(1).prefetch(2).build().expect("valid");
        let stop = consumer.stop_token();
        let (report, stopped): (_, Result) = tokio::join!(consumer.run(), async {
            begun.acquire().await?.forget();
            stop.cancel();
            allowed.add_permits(1);
            Ok(())
        });
        stopped.expect("the handler began");
        assert_eq!((report.started, report.completed), (1, 1));
        for (id, state, attempts) in
            [("a", State::Completed, 1), ("b", State::Queued, 0), ("c", State::Queued, 0)]
        {
            let status = doubles.status(id).await.expect("reads").expect("is there");
            assert_eq!((status.state(), status.attempts()), (state, attempts), "{id}");
        }
    })
    .await;
}

#[tokio::test]
async fn requests_and_responses_are_message_pack() {
    on_each_store(async |stage| {
        let doubles = doubles(stage);
        assert!(doubles.submit("a", 300, HOUR).await.expect("stores").is_new());
        let json: Queue<u32, u32> = Queue::new(stage.store(), stage.queue()).expect("valid");
        let refused = json.dequeue(PATIENT).await.expect_err("another codec cannot read it");
        assert_eq!(refused.kind(), ErrorKind::Invalid);

        let raw: Queue<queue::Raw> =
            Queue::builder(stage.store(), stage.queue()).codec(MsgPack).build().expect("valid");
        assert!(doubles.submit("b", 300, HOUR).await.expect("stores").is_new());
        let taken = raw.dequeue(PATIENT).await.expect("claims").expect("is due");
        // 0xcd is a 16-bit number.
        assert_eq!(taken.payload().0.bytes[..], [0xcd, 0x01, 0x2c]);
    })
    .await;
}
