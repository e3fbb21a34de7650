//! Pauses of kinds as the server has them: lines of more than one portion, what `verify` finds
//! about them, and that nothing of them is left behind.

use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use queue_core::{
    ClaimRequest, ContentType, JobId, Kind, ListQuery, ManualClock, NewJob, Pause, PausedKind, Payload,
    Prune, PruneRequest, QueueName, SeededRng, Span, Storage, StorageExt, Walk, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_redis::RedisStorage;
use redis::{Cmd, FromRedisValue, aio::MultiplexedConnection};
use std::{sync::Arc, time::Duration};

const KINDS: [&str; 3] = ["mail", "mailing", "report"];
const QUEUE: &str = "q";

/// A namespace with one queue, and the server as it is seen from outside.
struct Place {
    space: Space,
    store: RedisStorage,
    queue: QueueName,
    clock: Arc<ManualClock>,
    server: MultiplexedConnection,
}

impl Place {
    async fn open() -> Option<Self> {
        let url = REDIS.url()?;
        let clock = Arc::new(ManualClock::default());
        let space = Space { url, namespace: fresh_namespace(), clock: Some(clock.clone()) };
        let store = RedisStorage::open(space.options()).await.expect("it opens");
        let client = redis::Client::open(space.url.as_str()).expect("a URL");
        let server = connect(&client).await.expect("it connects");
        Some(Self { space, store, queue: QueueName::from_static(QUEUE), clock, server })
    }

    /// Stores jobs of all kinds in turn, among few priorities. They wait for one to so many seconds
    /// if `delays` says so.
    async fn put(&self, count: usize, delays: i64) {
        let payload = Payload::new("x", ContentType::from_static("text/plain"));
        let job = |nth: usize| {
            let id = JobId::new(format!("{nth:05}")).expect("valid");
            let job = NewJob::new(id, Kind::from_static(KINDS[nth % 3]), payload.clone());
            let number = i64::try_from(nth).expect("few");
            let delay = if delays == 0 { 0 } else { 1 + (number * 7) % delays };
            job.with_priority([3, -2, 0, 1][nth % 4]).with_delay(Span::from_secs(delay))
        };
        self.store.enqueue(&self.queue, vec![(0..count).map(job).collect()]).await.expect("it enqueues");
    }

    async fn pause(&self, kind: &'static str, pause: Pause) {
        let kind = Kind::from_static(kind);
        self.store.set_paused(&self.queue, Some(&kind), pause).await.expect("it pauses");
    }

    fn request(&self, limit: usize) -> ClaimRequest {
        let worker = WorkerId::from_static("w");
        ClaimRequest::new(self.queue.clone(), worker, limit, Span::from_secs(900), &SeededRng::new(1))
    }

    async fn claim(&self, limit: usize) -> Vec<String> {
        let claimed = self.store.claim(self.request(limit)).await.expect("it claims");
        claimed.jobs.iter().map(|job| job.record.meta.id.to_string()).collect()
    }

    /// All due jobs, page by page.
    async fn due(&self, page: usize) -> Vec<String> {
        let (mut query, mut ids) = (ListQuery::new(self.queue.clone(), Walk::Due, page), Vec::new());
        loop {
            let page = self.store.list(query.clone()).await.expect("it lists");
            ids.extend(page.jobs.iter().map(|job| job.id.to_string()));
            let Some(next) = page.next else { return ids };
            query.after = Some(next);
        }
    }

    async fn run<T: FromRedisValue>(&mut self, name: &str, part: &str, args: &[&[u8]]) -> T {
        let mut command = Cmd::new();
        command.arg(name).arg(format!("{}:{{{QUEUE}}}:{part}", self.space.namespace)).arg(args);
        command.query_async(&mut self.server).await.expect("it answers")
    }

    async fn findings(&self) -> Vec<String> {
        self.store.verify().await.expect("it verifies")
    }

    async fn end(self) {
        assert_eq!(self.findings().await, Vec::<String>::new());
        self.store.close().await.expect("it closes");
        clean_up(&self.space.url, &self.space.namespace).await.expect("it cleans up");
    }
}

/// More jobs than a portion of a line, and pages that end within portions.
#[tokio::test]
async fn lines_and_the_others_are_one_order_to_pages_and_to_claims() {
    let Some(mut place) = Place::open().await else { return };
    place.put(900, 40).await;
    place.clock.advance(Duration::from_secs(41));
    let order = place.due(1_000).await;
    assert_eq!(order.len(), 900);
    for kind in ["mail", "report"] {
        place.pause(kind, Pause::UntilResumed).await;
    }
    let of_open: Vec<_> = order.iter().filter(|id| id.parse::<usize>().expect("a number") % 3 == 1).collect();
    assert_eq!(place.claim(20).await.iter().collect::<Vec<_>>(), of_open[..20]);
    let aside: u64 = place.run("ZCARD", "listed", &[]).await;
    assert!((1..900).contains(&aside), "{aside}");
    let left: Vec<_> = order.iter().filter(|id| !of_open[..20].contains(id)).cloned().collect();
    for page in [1_000, 37] {
        assert_eq!(place.due(page).await, left, "pages of {page}");
    }
    place.pause("report", Pause::Off).await;
    assert_eq!(place.due(64).await, left);
    place.pause("mail", Pause::Off).await;
    let mut claimed = Vec::new();
    for limit in [1, 7, 63, 1_000] {
        claimed.extend(place.claim(limit).await);
    }
    assert_eq!(claimed, left);
    place.end().await;
}

/// No call reads more of a queue whose last line is empty than before.
#[tokio::test]
async fn a_queue_without_paused_kinds_and_lines_is_as_it_was_before() {
    let Some(mut place) = Place::open().await else { return };
    place.put(30, 0).await;
    place.pause("mail", Pause::UntilResumed).await;
    assert_eq!(place.claim(5).await.len(), 5);
    place.pause("mail", Pause::Off).await;
    place.store.set_paused(&place.queue, None, Pause::UntilResumed).await.expect("it pauses");
    assert_eq!(
        place.run::<Option<String>>("HGET", "meta", &[b"paused"]).await.as_deref(),
        Some("281474976710655 kinds")
    );
    place.store.set_paused(&place.queue, None, Pause::Off).await.expect("it resumes");
    assert_eq!(place.claim(30).await.len(), 25);
    for part in [&b"kinds"[..], b"paused"] {
        assert_eq!(place.run::<Option<String>>("HGET", "meta", &[part]).await, None);
    }
    assert_eq!(place.run::<u64>("EXISTS", "listed", &[]).await, 0);
    place.end().await;
}

/// Its kinds are forgotten, not its own pause.
#[tokio::test]
async fn a_paused_queue_stays_so_when_its_kinds_are_resumed() {
    let Some(place) = Place::open().await else { return };
    place.put(3, 0).await;
    let end = place.store.counts(&place.queue).await.expect("it counts").now;
    let pause = Pause::Until(queue_core::Timestamp::from_millis(end.as_millis() + 1_000));
    place.pause("mail", Pause::UntilResumed).await;
    place.store.set_paused(&place.queue, None, pause).await.expect("it pauses");
    place.pause("mail", Pause::Off).await;
    let status = place.store.status_of(&place.queue).await.expect("it lists").expect("there is one");
    assert_eq!((status.pause, status.paused_kinds), (pause, vec![]));
    assert_eq!(place.claim(3).await.len(), 0);
    place.clock.advance(Duration::from_secs(1));
    assert_eq!(place.claim(3).await.len(), 3);
    place.end().await;
}

/// Each change or removal of a job takes it out of its line, and a job that a change left due is
/// set aside again.
#[tokio::test]
async fn no_change_leaves_an_entry_in_a_line() {
    let Some(mut place) = Place::open().await else { return };
    place.put(9, 0).await;
    for kind in KINDS {
        place.pause(kind, Pause::UntilResumed).await;
    }
    assert_eq!(place.claim(9).await.len(), 0);
    assert_eq!(place.run::<u64>("ZCARD", "listed", &[]).await, 9);
    let events = [Event::Promote, Event::Reschedule { delay: Span::from_secs(1) }, Event::Delete];
    for (nth, event) in events.into_iter().enumerate() {
        let id = JobId::new(format!("{nth:05}")).expect("valid");
        place.store.change(&place.queue, &id, event, &Policy::default()).await.expect("it changes");
        assert_eq!(place.findings().await, Vec::<String>::new());
    }
    assert_eq!(place.run::<u64>("ZCARD", "listed", &[]).await, 6);
    place.clock.advance(Duration::from_secs(1));
    let claimed = place.store.claim(place.request(9)).await.expect("it claims");
    assert_eq!((claimed.jobs.len(), claimed.set_aside), (0, 2), "the promoted and the delayed one");
    let everything = PruneRequest { queue: place.queue.clone(), what: Prune::Everything, limit: 100 };
    assert_eq!(place.store.prune(everything).await.expect("it prunes"), 8);
    assert_eq!(place.run::<u64>("EXISTS", "listed", &[]).await, 0);
    place.end().await;
}

/// One of the jobs stands in a line, one among the ready ones.
async fn two_jobs_of_which_one_is_set_aside(place: &mut Place) -> Vec<u8> {
    place.put(2, 0).await;
    place.pause("mailing", Pause::UntilResumed).await;
    assert_eq!(place.claim(2).await, ["00000"]);
    let mut members: Vec<Vec<u8>> = place.run("ZRANGE", "listed", &[b"0", b"-1"]).await;
    members.remove(0)
}

#[tokio::test]
async fn every_kind_of_damage_to_a_line_is_found() {
    const DAMAGES: usize = 8;
    for number in 0..DAMAGES {
        let Some(mut place) = Place::open().await else { return };
        let member = two_jobs_of_which_one_is_set_aside(&mut place).await;
        assert_eq!(place.findings().await, Vec::<String>::new());
        let ready = &member[b"\x06mailing\0".len()..];
        let other = [b"\x06mail\0", ready].concat();
        let damages: [(&str, &str, &[&[u8]], &str); DAMAGES] = [
            ("HDEL", "meta", &[b"kinds"], "a line that no claim looks at"),
            ("HSET", "meta", &[b"kinds", b"\x09short"], "cannot be read"),
            ("HDEL", "meta", &[b"paused"], "its pause says otherwise"),
            ("HSET", "meta", &[b"paused", b"0"], "its pause says otherwise"),
            ("ZREM", "listed", &[&member], "stands in 0 of ready"),
            ("ZADD", "ready", &[b"0", ready], "stands in 2 of ready"),
            ("ZADD", "listed", &[b"0", &other], "which no record has"),
            ("ZADD", "listed", &[b"1", &member], "the records say"),
        ];
        let (name, part, args, told) = damages[number];
        place.run::<redis::Value>(name, part, args).await;
        let findings = place.findings().await;
        assert!(findings.iter().any(|finding| finding.contains(told)), "{number}, {told}: {findings:?}");
        clean_up(&place.space.url, &place.space.namespace).await.expect("it cleans up");
    }
}

/// How long one script holds up the server that sets as many jobs aside as it may. It is no test.
///
/// ```sh
/// cargo test --release -p queue-redis --test it -- --ignored --nocapture set_aside
/// ```
#[tokio::test]
#[ignore = "a measurement"]
async fn time_of_claims_that_set_aside_as_much_as_they_may() {
    let Some(mut place) = Place::open().await else { return };
    let jobs: usize = std::env::var("QUEUE_TEST_JOBS").map_or(30_000, |jobs| jobs.parse().expect("a number"));
    let payload = Payload::new(vec![b'x'; 100], ContentType::from_static("application/json"));
    let job = |nth: usize, kind| {
        let id = JobId::new(format!("{nth:032x}")).expect("valid");
        NewJob::new(id, Kind::from_static(kind), payload.clone())
    };
    for from in (0..jobs).step_by(1_000) {
        let batch = (from..from + 1_000).map(|nth| job(nth, "mail")).collect();
        place.store.enqueue(&place.queue, vec![batch]).await.expect("it enqueues");
    }
    let last = job(jobs, "report").with_priority(1);
    place.store.enqueue(&place.queue, vec![vec![last]]).await.expect("it enqueues");
    place.pause("mail", Pause::UntilResumed).await;
    let mut times = Vec::new();
    loop {
        let before = script_usec(&mut place.server).await;
        let claimed = place.store.claim(place.request(1)).await.expect("it claims");
        times.push(script_usec(&mut place.server).await - before);
        assert!(claimed.set_aside <= PausedKind::SET_ASIDE_MAX);
        if !claimed.jobs.is_empty() {
            break;
        }
    }
    let before = script_usec(&mut place.server).await;
    place.claim(1).await;
    let behind = script_usec(&mut place.server).await - before;
    times.sort_unstable();
    println!(
        "{} claims set {jobs} aside: median {} us, longest {} us; the next claim {behind} us",
        times.len(),
        times[times.len() / 2],
        times[times.len() - 1]
    );
    place.end().await;
}

async fn script_usec(server: &mut MultiplexedConnection) -> u64 {
    let text: String = redis::cmd("INFO").arg("commandstats").query_async(server).await.expect("it answers");
    let line = text.lines().find_map(|line| line.strip_prefix("cmdstat_evalsha:")).unwrap_or("usec=0");
    let usec = line.split(',').find_map(|part| part.strip_prefix("usec=")).expect("it is told");
    usec.parse().expect("a number")
}
