//! The promise of this library, shown and then checked: `cargo run -p demo`.
//!
//! Jobs go into a SQLite file, worker processes (this program again) work on them, and one is
//! killed with SIGKILL in mid-work: the one that has started a job whose first attempt does not end
//! before that. Each worker writes down each start and end of a job in a file of its own, which
//! shares nothing with the store. In the end the store is held against these files, and each result
//! against a direct computation.

use queue::{JobOptions, Queue, SqliteOptions, SqliteStorage, worker::JobError};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    error::Error,
    fs::{self, File},
    io::{self, Write},
    path::Path,
    process::{ExitCode, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

type Result<T = (), E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const JOBS: u64 = 5_000;
/// Jobs that are stored in one call.
const BATCH: usize = 500;
const WORKERS: usize = 4;
/// Jobs that one worker runs at once.
const CONCURRENCY: usize = 4;
/// What a job waits for, as if for a slow disk: it sets the pace.
const PAUSE: Duration = Duration::from_millis(20);
/// Short, so that the jobs of the killed worker wait no longer than this.
const LEASE: Duration = Duration::from_secs(2);
/// Workers that are busy look for jobs of dead ones this often.
const RESCUE: Duration = Duration::from_millis(500);
/// A worker that takes longer is stuck.
const PATIENCE: Duration = Duration::from_mins(5);

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is_proof = match arguments.as_slice() {
        [] => show(JOBS).await?,
        [jobs] => show(jobs.parse()?).await?,
        [place, number, slow] => work(Path::new(place), number, slow.parse()?).await.map(|()| true)?,
        _ => return Err("usage: demo [JOBS]".into()),
    };
    println!("\n{}", if is_proof { "Nothing was lost." } else { "THE PROOF FAILED." });
    Ok(if is_proof { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What an application has: a queue.
async fn queue(place: &Path) -> Result<Queue<u64, u64>> {
    let store = SqliteStorage::open(SqliteOptions::new(place.join("jobs.db"))).await?;
    Ok(Queue::new(Arc::new(store), "demo")?)
}

/// And a worker, which here also writes down what it does, and ends when the queue is empty.
///
/// The first attempt at the slow job takes until its worker is killed.
async fn work(place: &Path, number: &str, slow: u64) -> Result {
    let log = Arc::new(File::options().append(true).open(place.join(number))?);
    let worker = queue(place).await?.work_with(move |job: u64, context| {
        let log = log.clone();
        let pause = if job == slow && context.attempt() == 1 { PATIENCE } else { PAUSE };
        async move {
            note(&log, "start", job)?;
            sleep(pause).await;
            note(&log, "end", job)?;
            Ok::<_, JobError>(result_of(job))
        }
    });
    let worker = worker.concurrency(CONCURRENCY).prefetch(0).lease(LEASE).rescue_interval(RESCUE);
    worker.until_empty().build()?.run().await;
    Ok(())
}

/// One write to the operating system, so that a killed process has written all it did.
fn note(mut log: &File, what: &str, job: u64) -> io::Result<()> {
    log.write_all(format!("{what} {job}\n").as_bytes())
}

/// A number that cannot be guessed, from the generator of Knuth's MMIX.
fn result_of(job: u64) -> u64 {
    let next = |n: u64, _| n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (0..1_000).fold(job, next)
}

fn id(job: u64) -> String {
    format!("job-{job}")
}

/// The whole demo, and whether it is a proof.
async fn show(count: u64) -> Result<bool> {
    let directory = tempfile::tempdir()?;
    let place = directory.path();
    let queue = queue(place).await?;
    let begun = Instant::now();
    for part in (0..count).collect::<Vec<_>>().chunks(BATCH) {
        queue.enqueue_many(part.iter().map(|job| (id(*job), *job)), JobOptions::new()).await?;
    }
    println!("stored {count} jobs in {:.1} s", begun.elapsed().as_secs_f64());

    let begun = Instant::now();
    let slow = count / 3;
    let mut workers =
        (0..WORKERS).map(|number| start(place, number, slow)).collect::<io::Result<Vec<_>>>()?;
    let pids: Vec<String> = workers.iter().filter_map(Child::id).map(|pid| pid.to_string()).collect();
    println!("started {WORKERS} worker processes: {}", pids.join(", "));
    let doomed = timeout(PATIENCE, starter_of(place, slow)).await.map_err(|_| "the workers are stuck")??;
    workers.remove(doomed).kill().await?;
    let log = read(place, doomed)?;
    let in_work = log.started.difference(&log.ended).count();
    println!("killed process {} with SIGKILL, with {in_work} jobs in mid-work", pids[doomed]);
    for worker in &mut workers {
        let status = timeout(PATIENCE, worker.wait()).await.map_err(|_| "a worker is stuck")??;
        println!("a worker ended: {status}");
    }
    let took = begun.elapsed();

    println!("comparing the store with what the workers wrote down, and each result with a computation");
    let mut results = BTreeMap::new();
    for job in 0..count {
        results.extend(queue.result(id(job)).await?.map(|result| (job, result)));
    }
    let wrong = results.iter().filter(|(job, result)| **result != result_of(**job)).count();
    let others = (0..WORKERS).filter(|number| *number != doomed).map(|number| read(place, number));
    let others = others.collect::<Result<Vec<_>>>()?;
    let again = log.started.iter().filter(|job| others.iter().any(|other| other.started.contains(job)));
    let lost = count - results.len() as u64;
    println!("\ncompleted  {} in {:.1} s", results.len(), took.as_secs_f64());
    println!("lost       {lost}");
    println!("wrong      {wrong}");
    println!("run again  {} that the killed worker had started", again.count());
    Ok(lost == 0 && wrong == 0 && in_work > 0)
}

fn start(place: &Path, number: usize, slow: u64) -> io::Result<Child> {
    File::create(place.join(number.to_string()))?;
    let mut worker = Command::new(env::current_exe()?);
    worker.arg(place).args([number.to_string(), slow.to_string()]);
    worker.stdout(Stdio::null()).kill_on_drop(true).spawn()
}

/// The worker that has started this job, as soon as one has.
async fn starter_of(place: &Path, job: u64) -> Result<usize> {
    loop {
        for number in 0..WORKERS {
            if read(place, number)?.started.contains(&job) {
                return Ok(number);
            }
        }
        sleep(PAUSE).await;
    }
}

/// What a worker wrote down.
struct Log {
    started: BTreeSet<u64>,
    ended: BTreeSet<u64>,
}

fn read(place: &Path, worker: usize) -> Result<Log> {
    let text = fs::read_to_string(place.join(worker.to_string()))?;
    let jobs = |what: &str| {
        // The last line of a worker that goes on may be in the making.
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let numbers = lines.filter_map(|line| line.strip_prefix(what));
        numbers.map(str::parse).collect::<std::result::Result<_, _>>()
    };
    Ok(Log { started: jobs("start ")?, ended: jobs("end ")? })
}
