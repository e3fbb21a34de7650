//! One round: a store, its servers, the workers, the signals, and the verdict.

use super::{
    ClientsArgs,
    fleet::{Fleet, Programs, Surroundings, stop_file},
    service::{Access, Server},
    tape,
    translate::Translated,
    weather::storm,
};
use crate::{failed::Failed, many::StorePlace};
use futures_util::future::try_join_all;
use queue::{QueueName, Rng, SeededRng};
use queue_testkit::{
    history::{Answer, Event, History, Load, LoadParams, Params, Recorder, WorkloadReport},
    proxy::{Proxy, Traffic},
};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::{fmt, fs, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

/// One signal in so many stops a worker; the others kill it.
const STOP_EVERY: u64 = 3;
/// The most that are stopped at once, so that others work meanwhile.
const STOPPED_MAX: usize = 3;
/// How long a worker is stopped: longer than its lease of a second, often longer than the 5 s after
/// which the service looks for lapsed leases, so that the job has another holder when it wakes up.
const STOPPED_MS: std::ops::Range<u64> = 1_200..12_000;
/// A server is killed with one signal in so many.
const SERVER_EVERY: u64 = 25;
/// The longest that the last jobs take once all is well: a job that was stalled often waits long.
const DRAIN_MAX: Duration = Duration::from_mins(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How many findings are shown.
const SHOWN_MAX: usize = 5;

pub(super) struct Round<'a> {
    pub(super) number: u64,
    pub(super) seed: u64,
    pub(super) signals: usize,
    pub(super) settings: &'a ClientsArgs,
    pub(super) programs: &'a Programs,
}

/// What happened, of one round or of all.
#[derive(Debug, Default)]
pub(super) struct Counts {
    killed: usize,
    stopped: usize,
    servers: usize,
    jobs: usize,
    completed: usize,
    unanswered: usize,
    events: usize,
    refused: usize,
    lost: usize,
    stale: usize,
    pub(super) findings: usize,
}

/// What stands between the workers and the store.
struct Scene {
    place: StorePlace,
    access: Access,
    servers: Vec<Server>,
    proxies: Vec<Proxy>,
    directory: TempDir,
}

impl Round<'_> {
    pub(super) async fn run(&self) -> Result<Counts, Failed> {
        let mut scene = Scene::set(self.settings).await?;
        let mut fleet = Fleet::start(self.programs, scene.surroundings(), self.settings.workers)?;
        let mut counts = Counts::default();
        self.disturb(&mut scene, &mut fleet, &mut counts).await?;
        for proxy in &scene.proxies {
            proxy.set(Traffic::Pass).await?;
        }
        fleet.wake_all()?;
        fs::write(stop_file(scene.directory.path()), "")?;
        scene.wait_until_all_is_done().await?;
        fleet.kill_all().await?;
        for server in &mut scene.servers {
            server.kill().await?;
        }
        self.judge(&scene, &fleet, &mut counts).await?;
        if let Some(keep) = &self.settings.keep {
            keep_files(&scene, keep, self.number)?;
        }
        Ok(counts)
    }

    /// Sends all signals, while the network is bad.
    async fn disturb(&self, scene: &mut Scene, fleet: &mut Fleet, counts: &mut Counts) -> Result<(), Failed> {
        let Scene { place, access, servers, proxies, .. } = scene;
        let storms = try_join_all((0..).zip(&*proxies).map(|(at, proxy)| storm(proxy, self.seed ^ (at + 1))));
        let signals = async {
            let rng = SeededRng::new(self.seed);
            let below = |most: u64| rng.next_u64() % most;
            for _ in 0..self.signals {
                sleep(Duration::from_millis(20 + below(200))).await;
                let dice = |ready: usize| usize::try_from(below(ready as u64)).unwrap_or_default();
                let victim = fleet.victim(dice).await?;
                if below(STOP_EVERY) == 0 && fleet.stopped() < STOPPED_MAX {
                    let ms = STOPPED_MS.start + below(STOPPED_MS.end - STOPPED_MS.start);
                    fleet.stop(victim, Instant::now() + Duration::from_millis(ms))?;
                    counts.stopped += 1;
                } else {
                    fleet.replace(victim).await?;
                    counts.killed += 1;
                }
                if below(SERVER_EVERY) == 0 {
                    let server = dice(servers.len());
                    servers[server].replace(access, &place.url).await?;
                    counts.servers += 1;
                }
            }
            Ok::<(), Failed>(())
        };
        tokio::select! {
            never = storms => never.map(drop),
            ended = signals => ended,
        }
    }

    /// Reads every record, and judges it together with what the processes noted.
    async fn judge(&self, scene: &Scene, fleet: &Fleet, counts: &mut Counts) -> Result<(), Failed> {
        let offset_ns = wall_ahead_of_monotonic();
        let (mut histories, mut lapses, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..fleet.started() {
            let mut translated = Translated::of(&tape::read(&fleet.tape(number))?, offset_ns)?;
            lapses.extend(translated.held.lapses());
            counts.refused += translated.late.refused;
            faults.extend(
                std::mem::take(&mut translated.late.faults)
                    .into_iter()
                    .map(|fault| format!("process {number}: {fault}")),
            );
            histories.push(translated.history());
        }
        histories.push(History::new(numbered(lapses)));
        let nobody = Params { producers: 0, workers: 0, meddlers: 0, ..Params::default() };
        let end = LoadParams { seed: self.seed, name: "the-end".to_owned(), tasks: nobody, waiters: 0 };
        let load = Load::start(vec![scene.place.open().await?], Arc::new(Recorder::new()), end);
        let report = load.finish_with(histories).await;
        counts.count(&report);
        counts.findings = report.violations.len() + faults.len();
        let found = report.violations.iter().map(ToString::to_string).chain(faults);
        for finding in found.take(SHOWN_MAX) {
            println!("  found: {finding}");
        }
        Ok(())
    }
}

impl Scene {
    async fn set(settings: &ClientsArgs) -> Result<Self, Failed> {
        let place = StorePlace::fresh(settings.store)?;
        // The store is created here, so that no server opens one that is half made.
        place.open().await?.close().await?;
        let access = Access::make(&settings.program).await?;
        let (mut servers, mut proxies) = (Vec::new(), Vec::new());
        for _ in 0..settings.servers.max(1) {
            let server = Server::start(&access, &place.url).await?;
            proxies.push(Proxy::start(server.address)?);
            servers.push(server);
        }
        Ok(Self { place, access, servers, proxies, directory: TempDir::new()? })
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings {
            urls: self.proxies.iter().map(|proxy| format!("http://{}", proxy.address())).collect(),
            token_file: self.access.token_file(),
            directory: self.directory.path().to_owned(),
        }
    }

    async fn wait_until_all_is_done(&self) -> Result<(), Failed> {
        let store = self.place.open().await?;
        let queue = QueueName::from_static("workload");
        let begun = Instant::now();
        loop {
            let left = store.counts(&queue).await?.unfinished();
            if left == 0 {
                return Ok(store.close().await?);
            }
            if begun.elapsed() > DRAIN_MAX {
                return Err(format!("{left} jobs are not done").into());
            }
            sleep(LOOK_EVERY).await;
        }
    }
}

impl Counts {
    fn count(&mut self, report: &WorkloadReport) {
        let events = report.history.events();
        self.events = events.len();
        self.completed = report.completions();
        self.unanswered = report.unanswered();
        self.jobs = events.iter().filter(|event| event.answer == Some(Answer::Queued)).count();
        let of = |invariant| report.violations.iter().filter(|found| found.invariant == invariant).count();
        self.lost = of(queue_testkit::Invariant::I1);
        self.stale = of(queue_testkit::Invariant::I4);
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.killed += other.killed;
        self.stopped += other.stopped;
        self.servers += other.servers;
        self.jobs += other.jobs;
        self.completed += other.completed;
        self.unanswered += other.unanswered;
        self.events += other.events;
        self.refused += other.refused;
        self.lost += other.lost;
        self.stale += other.stale;
        self.findings += other.findings;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { killed, stopped, servers, jobs, completed, .. } = self;
        write!(
            f,
            "{killed} killed, {stopped} stopped, {servers} servers killed; {jobs} jobs, {completed} completions, "
        )?;
        let Self { unanswered, events, refused, .. } = self;
        write!(
            f,
            "{unanswered} calls without an answer, {events} events, {refused} settles refused as too late; "
        )?;
        let Self { lost, stale, findings, .. } = self;
        write!(f, "{lost} jobs lost, {stale} stale settles accepted, {findings} findings")
    }
}

fn numbered(events: Vec<Event>) -> Vec<Event> {
    let one =
        |(call, event): (u64, Event)| Event { call, process: call, queue: "workload".to_owned(), ..event };
    (1..).zip(events).map(one).collect()
}

/// Both clocks count nanoseconds from times of their own.
fn wall_ahead_of_monotonic() -> u64 {
    let nanos = |time: Timespec| time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs();
    nanos(clock_gettime(ClockId::Realtime)) - nanos(clock_gettime(ClockId::Monotonic))
}

fn keep_files(scene: &Scene, keep: &std::path::Path, number: u64) -> Result<(), Failed> {
    let folder = keep.join(number.to_string());
    fs::create_dir_all(&folder)?;
    for file in fs::read_dir(scene.directory.path())? {
        let file = file?;
        fs::copy(file.path(), folder.join(file.file_name()))?;
    }
    Ok(())
}
