//! The series of a day by a test clock: the bytes that they take, and charts of them.

use crate::failed::{Failed, require};
use clap::Args;
use queue::{
    FsOptions, FsStorage, Kind, ManualClock, Queue, QueueName, SlotLength, SqliteOptions, SqliteStorage,
    Storage, WorkCounts, WorkOutcome, WorkerId,
    queue_core::{SeriesEntry, Timestamp, series::SlotCounts},
};
use std::{fmt::Write, fs, path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;

const QUEUE: &str = "emails";
pub(crate) const MINUTES: i64 = 24 * 60;
const DAY: Duration = Duration::from_hours(24);
/// A Monday at midnight, UTC.
pub(crate) const MIDNIGHT_MS: i64 = 1_793_577_600_000;
/// The minutes of a column of the charts.
const COLUMN: usize = 15;

#[derive(Args, Debug)]
pub(crate) struct DayArgs {
    /// How many workers write
    #[arg(long, default_value_t = 4)]
    workers: u64,
}

/// Writes the day to each store of this host, and prints what it takes and how it looks.
pub(crate) async fn run(settings: &DayArgs) -> Result<(), Failed> {
    let directory = TempDir::new()?;
    let path = directory.path();
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(MIDNIGHT_MS)));
    let files = FsStorage::open(FsOptions::new(path.join("files")).clock(clock.clone())).await?;
    let drawn = write_day(Arc::new(files), &clock, settings).await?;
    print_bytes("files", &path.join("files"))?;
    clock.set(Timestamp::from_millis(MIDNIGHT_MS));
    let sqlite = SqliteStorage::open(SqliteOptions::new(path.join("q.db")).clock(clock.clone())).await?;
    let same = write_day(Arc::new(sqlite), &clock, settings).await?;
    fs::remove_dir_all(path.join("files"))?;
    print_bytes("SQLite", path)?;
    require(drawn == same, || format!("another chart:\n{same}"))?;
    print!("{drawn}");
    Ok(())
}

fn print_bytes(name: &str, directory: &Path) -> Result<(), Failed> {
    println!("{name}: {} bytes of files in the end", directory_bytes(directory)?);
    Ok(())
}

/// The bytes of the files of a directory.
pub(crate) fn directory_bytes(directory: &Path) -> Result<u64, Failed> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

async fn write_day(
    store: Arc<dyn Storage>,
    clock: &ManualClock,
    settings: &DayArgs,
) -> Result<String, Failed> {
    let (mut entries, mut bytes) = (0_u64, 0_usize);
    let mut hours: Vec<SlotCounts> = (0..settings.workers).map(|_| SlotCounts::default()).collect();
    for minute in 0..MINUTES {
        clock.advance(Duration::from_mins(1));
        for worker in 0..settings.workers {
            let counts = counted(minute, worker)?;
            let hour = &mut hours[usize::try_from(worker)?];
            hour.add(&counts);
            bytes += write(&*store, SlotLength::Minute, minute, worker, &counts).await?;
            entries += 1;
            if minute % 60 == 59 {
                bytes += write(&*store, SlotLength::Hour, minute, worker, &std::mem::take(hour)).await?;
                entries += 1;
            }
        }
    }
    let hours = 24 * settings.workers;
    println!(
        "{}: {entries} entries, {} bytes an hour and worker in them",
        store.capabilities().name,
        bytes as u64 / hours
    );
    let reading = Queue::<String>::new(store.clone(), QUEUE)?.series(DAY, SlotLength::Minute).await?;
    let columns = reading.columns(reading.last(1440), COLUMN);
    let columns: Vec<WorkCounts> = columns.into_iter().map(|(_, counts)| counts).collect();
    store.close().await?;
    let mut drawn = String::new();
    for outcome in [WorkOutcome::Completed, WorkOutcome::Failing] {
        let numbers: Vec<u64> = columns.iter().map(|column| column.of(outcome)).collect();
        writeln!(drawn, "{:9} {}", outcome.as_str(), bars(&numbers))?;
    }
    let waits: Vec<u64> = columns
        .iter()
        .map(|column| column.wait().percentile(95).map_or(0, |time| time.as_millis() as u64))
        .collect();
    Ok(drawn + &format!("{:9} {}\n", "wait p95 ", bars(&waits)))
}

/// Writes an entry, and answers its bytes.
pub(crate) async fn write(
    store: &dyn Storage,
    length: SlotLength,
    minute: i64,
    worker: u64,
    counts: &SlotCounts,
) -> Result<usize, Failed> {
    let slot = length.slot_at(Timestamp::from_millis(MIDNIGHT_MS + minute * 60_000));
    let bytes = counts.encode();
    let written = bytes.len();
    let writer = WorkerId::new(format!("host-{worker}:1234:5f3a9c"))?;
    let entry = SeriesEntry { series: length.series(), slot, writer, bytes: bytes.into() };
    store.write_series(entry, length.ttl()).await?;
    Ok(written)
}

/// Quiet at night, busy by day, and a quarter of an hour around 14:00 in which a server was away.
pub(crate) fn counted(minute: i64, worker: u64) -> Result<SlotCounts, Failed> {
    let mut counts = SlotCounts::default();
    let of = counts.of_mut(&QueueName::new(QUEUE)?, &Kind::new("email")?);
    let day = (360..1320).contains(&minute);
    let noon = 960_i64.saturating_sub((minute - 840).abs() * 2).max(0).cast_unsigned();
    let jobs = if day { 40 + noon / 4 } else { 5 + worker };
    let is_out = (840..855).contains(&minute);
    for job in 0..jobs {
        let wait = if is_out { 20_000 } else { 2 + job % 30 + noon / 8 };
        of.record(Duration::from_millis(wait), Duration::from_millis(3 + job % 40));
        of.count(if is_out && job % 4 != 0 { WorkOutcome::Failing } else { WorkOutcome::Completed });
    }
    Ok(counts)
}

fn bars(numbers: &[u64]) -> String {
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let heights: Vec<char> = " ▁▂▃▄▅▆▇█".chars().collect();
    numbers.iter().map(|number| heights[(number * 8).div_ceil(most) as usize]).collect()
}
