//! Many rows and one report, as a batch: `cargo run -p import`.
//!
//! A producer process (this program again) adds a member for each row, and is killed in the middle
//! and started again from the top. Two worker processes import the rows, and one of them is killed.
//! Some rows are malformed and fail; some are two rows in one line, whose handler adds a member for
//! the second. In the end there is one report, which counts each row once.

use queue::{
    JobKind, JobOptions, Queue, SqliteOptions, SqliteStorage,
    batches::{BatchEnd, BatchStatus},
    worker::{Context, JobError, Router},
};
use std::{
    env,
    error::Error,
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::Path,
    process::{ExitCode, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

type Result<T = (), E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const ROW: JobKind<String> = JobKind::new("row");
const REPORT: JobKind<BatchEnd<String>> = JobKind::new("report");
const BATCH: &str = "import-7";

const ROWS: u64 = 100_000;
/// Each row of this number is malformed, and each of that one is two rows in one line.
const MALFORMED: u64 = 1_000;
const DOUBLE: u64 = 500;
/// Jobs that one worker runs at once.
const CONCURRENCY: usize = 16;
/// Short, so that the rows of the killed worker wait no longer than this.
const LEASE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(20);
/// A process that takes longer is stuck.
const PATIENCE: Duration = Duration::from_mins(10);

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [place, "work"] => work(Path::new(place)).await?,
        [place, "produce", rows] => produce(Path::new(place), rows.parse()?, false).await?,
        [place, "produce", rows, "and hang"] => produce(Path::new(place), rows.parse()?, true).await?,
        [] => return show(ROWS).await,
        [rows] => return show(rows.parse()?).await,
        _ => return Err("usage: import [ROWS]".into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// What an application has: a queue.
async fn imports(place: &Path) -> Result<Queue<()>> {
    let store = SqliteStorage::open(SqliteOptions::new(place.join("jobs.db"))).await?;
    Ok(Queue::new(Arc::new(store), "imports")?)
}

/// The producer. It repeats all its calls when it is run again: the batch is the same, and a row
/// that is there is not added again.
///
/// A producer that hangs never comes to its seal.
async fn produce(place: &Path, rows: u64, hangs: bool) -> Result {
    let imports = imports(place).await?;
    let batch = imports.of(ROW).batch(BATCH).on_end(REPORT, &"ada".to_owned()).open().await?;
    let lines = (1..=rows).map(|row| (format!("row-{row}"), line(row)));
    batch.add_all_with(lines, JobOptions::new().max_attempts(3)).await?;
    if hangs {
        sleep(PATIENCE).await;
    }
    batch.seal().await?;
    Ok(())
}

/// A line of the file that is imported.
fn line(row: u64) -> String {
    match row {
        _ if row.is_multiple_of(MALFORMED) => format!("{row},nothing"),
        _ if row.is_multiple_of(DOUBLE) => format!("{row},10;{row}b,20"),
        _ => format!("{row},10"),
    }
}

/// A worker, which runs until it is killed.
async fn work(place: &Path) -> Result {
    let report = place.join("report");
    let router = Router::new(()).handle(ROW, import)?.handle(REPORT, move |end, _| {
        let report = report.clone();
        async move { write(&report, &end) }
    })?;
    let worker = imports(place).await?.worker(router).concurrency(CONCURRENCY).lease(LEASE);
    worker.build()?.run().await;
    Ok(())
}

/// Imports a row. The second row of a line becomes a member of its own, in the very step that
/// completes this one.
async fn import(line: String, context: Context) -> Result<(), JobError> {
    let (first, second) = line.split_once(';').map_or((line.as_str(), None), |(a, b)| (a, Some(b)));
    let (row, amount) = first.split_once(',').ok_or_else(|| JobError::terminal("it has no comma"))?;
    amount.parse::<u64>().map_err(|error| JobError::terminal(format!("the amount of {row}: {error}")))?;
    if let Some(second) = second {
        context.batch()?.add(format!("row-{row}b"), &second.to_owned())?;
    }
    Ok(())
}

/// The report: one line for each time that the callback ran.
fn write(path: &Path, end: &BatchEnd<String>) -> Result<(), JobError> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let BatchEnd { payload: who, added, completed, failed, cancelled, .. } = end;
    Ok(writeln!(
        file,
        "for {who}: {added} rows, {completed} imported, {failed} failed, {cancelled} cancelled"
    )?)
}

/// The whole story, and whether it ended as it should.
async fn show(rows: u64) -> Result<ExitCode> {
    let directory = tempfile::tempdir()?;
    let place = directory.path();
    let imports = imports(place).await?;
    let mut doomed_worker = start(place, &["work"])?;
    let _worker = start(place, &["work"])?;

    let (half, all) = ((rows / 2).to_string(), rows.to_string());
    let mut doomed_producer = start(place, &["produce", &half, "and hang"])?;
    until(&imports, |batch| batch.added >= rows / 2).await?;
    doomed_producer.kill().await?;
    println!("killed the producer in the middle");
    let mut producer = start(place, &["produce", &all])?;
    until(&imports, |batch| batch.completed > 0).await?;
    doomed_worker.kill().await?;
    println!("killed a worker");
    if !timeout(PATIENCE, producer.wait()).await??.success() {
        return Err("the producer failed".into());
    }
    println!("added {rows} rows, those that were there not again, and sealed the batch");
    until(&imports, |batch| batch.meta.state.is_terminal()).await?;

    let report = report(place).await?;
    print!("{report}");
    let is_right = report == expected(rows);
    println!("{}", if is_right { "One report, and every row is in it." } else { "THE REPORT IS WRONG." });
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a report has to say, computed without a queue.
fn expected(rows: u64) -> String {
    let failed = rows / MALFORMED;
    let added = rows + rows / DOUBLE - failed;
    format!("for ada: {added} rows, {} imported, {failed} failed, 0 cancelled\n", added - failed)
}

fn start(place: &Path, arguments: &[&str]) -> Result<Child> {
    let mut process = Command::new(env::current_exe()?);
    process.arg(place).args(arguments);
    Ok(process.stdout(Stdio::null()).kill_on_drop(true).spawn()?)
}

/// Waits until the batch is so far.
async fn until(imports: &Queue<()>, is_so_far: impl Fn(&BatchStatus) -> bool) -> Result {
    let look = async {
        while !imports.batches().get(BATCH).await?.is_some_and(|batch| is_so_far(&batch)) {
            sleep(LOOK).await;
        }
        Ok(())
    };
    timeout(PATIENCE, look).await?
}

/// The report, once its job has run.
async fn report(place: &Path) -> Result<String> {
    let look = async {
        loop {
            match fs::read_to_string(place.join("report")) {
                Ok(report) if report.ends_with('\n') => return Ok(report),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error.into()),
            }
            sleep(LOOK).await;
        }
    };
    timeout(PATIENCE, look).await?
}
