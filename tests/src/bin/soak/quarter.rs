//! The series of ninety days by a test clock: minutes become hours, hours go, and what the files
//! take meanwhile and afterwards.

use crate::{
    day::{MIDNIGHT_MS, MINUTES, counted, directory_bytes, write},
    failed::{Failed, require},
};
use clap::Args;
use queue::{
    FsOptions, FsStorage, ManualClock, SlotLength, SqliteOptions, SqliteStorage, Storage,
    queue_core::{SeriesQuery, Timestamp, series::SlotCounts},
    queue_fs::Flush,
};
use std::{path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;

/// The days after which the entries are counted.
const LOOKS: [i64; 7] = [1, 3, 4, 7, 30, 60, 90];
/// How long after the last of them no process writes: the hours are removed then.
const SILENCE: Duration = Duration::from_hours(91 * 24);
/// More writes than there is anything left to sweep.
const LAST_WRITES: i64 = 1_000;

#[derive(Args, Debug)]
pub(crate) struct QuarterArgs {
    /// How many workers write
    #[arg(long, default_value_t = 1)]
    workers: u64,
}

/// What a store has of both lengths: entries, and the bytes in them.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    entries: [u64; 2],
    bytes: u64,
}

/// Writes ninety days to each store of this host. Those on files are not flushed: they take as many
/// bytes as if they were.
pub(crate) async fn run(settings: &QuarterArgs) -> Result<(), Failed> {
    let directory = TempDir::new()?;
    let clock = Arc::new(ManualClock::new(Timestamp::from_millis(MIDNIGHT_MS)));
    let path = directory.path().join("files");
    let options = FsOptions::new(&path).clock(clock.clone()).flush(Flush::Never);
    write_days(Arc::new(FsStorage::open(options).await?), &clock, &path, settings).await?;
    clock.set(Timestamp::from_millis(MIDNIGHT_MS));
    let path = directory.path().join("sqlite");
    std::fs::create_dir(&path)?;
    let options = SqliteOptions::new(path.join("q.db")).clock(clock.clone());
    write_days(Arc::new(SqliteStorage::open(options).await?), &clock, &path, settings).await
}

async fn write_days(
    store: Arc<dyn Storage>,
    clock: &ManualClock,
    path: &Path,
    settings: &QuarterArgs,
) -> Result<(), Failed> {
    let name = store.capabilities().name;
    let (mut written, mut entries, mut day) = (0_u64, 0_u64, 0);
    println!(
        "{name}: days, entries written, bytes in them; minutes kept, hours kept, bytes in them, bytes of files"
    );
    for look in LOOKS {
        while day < look {
            let (bytes, count) = write_day(&*store, clock, day, settings.workers).await?;
            (written, entries, day) = (written + bytes, entries + count, day + 1);
        }
        let Kept { entries: [minutes, hours], bytes } = kept(&*store).await?;
        let files = directory_bytes(path)?;
        println!("  {day:3} {entries:8} {written:9}; {minutes:6} {hours:6} {bytes:8} {files:9}");
        let most = [3 * MINUTES, 90 * 24].map(|each| each.cast_unsigned() * settings.workers);
        require(minutes <= most[0] && hours <= most[1], || format!("{minutes} minutes, {hours} hours"))?;
    }
    clock.advance(SILENCE);
    // Only the entries of this last writer are left.
    for minute in 0..LAST_WRITES {
        write(&*store, SlotLength::Minute, (day + 91) * MINUTES + minute, 0, &counted(minute, 0)?).await?;
    }
    let left = kept(&*store).await?;
    require(left.entries == [LAST_WRITES.cast_unsigned(), 0], || format!("{left:?} are left"))?;
    store.close().await?;
    println!(
        "  after 91 days of silence and {LAST_WRITES} writes: no hour, {} bytes of files",
        directory_bytes(path)?
    );
    Ok(())
}

/// Writes the minutes and the hours of a day; answers their bytes and their number.
async fn write_day(
    store: &dyn Storage,
    clock: &ManualClock,
    day: i64,
    workers: u64,
) -> Result<(u64, u64), Failed> {
    let mut hours: Vec<SlotCounts> = (0..workers).map(|_| SlotCounts::default()).collect();
    let (mut bytes, mut entries) = (0, 0);
    for minute in 0..MINUTES {
        clock.advance(Duration::from_mins(1));
        let at = day * MINUTES + minute;
        for worker in 0..workers {
            let counts = counted(minute, worker)?;
            let hour = &mut hours[usize::try_from(worker)?];
            hour.add(&counts);
            bytes += write(store, SlotLength::Minute, at, worker, &counts).await? as u64;
            entries += 1;
            if minute % 60 == 59 {
                let hour = std::mem::take(hour);
                bytes += write(store, SlotLength::Hour, at, worker, &hour).await? as u64;
                entries += 1;
            }
        }
    }
    Ok((bytes, entries))
}

async fn kept(store: &dyn Storage) -> Result<Kept, Failed> {
    let mut kept = Kept::default();
    for (place, length) in [SlotLength::Minute, SlotLength::Hour].into_iter().enumerate() {
        let all = SeriesQuery::new(length.series(), i64::MIN..i64::MAX, SeriesQuery::LIMIT_MAX);
        let mut next = Some(all);
        while let Some(query) = next {
            let page = store.read_series(query).await?.value;
            kept.entries[place] += page.entries.len() as u64;
            kept.bytes += page.entries.iter().map(|entry| entry.bytes.len() as u64).sum::<u64>();
            next = page.next;
        }
    }
    Ok(kept)
}
