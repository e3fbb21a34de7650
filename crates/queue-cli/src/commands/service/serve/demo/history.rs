//! Ninety invented days, as workers would have counted them.

use super::QUEUES;
use queue::{
    SlotLength, Storage, Timestamp, WorkOutcome,
    queue_core::{
        Detail, Kind, QueueName, Rng, SeriesEntry, WorkerId,
        series::{SlotCounts, WorkCounts},
    },
};
use std::time::Duration;

const HOURS: i64 = 90 * 24;
/// The minutes before this one, of which the last hours are made.
const MINUTES: i64 = 180;
/// Samples of one kind in a slot: the shape of a histogram, and no more than it takes.
const SAMPLES_MAX: u64 = 40;
/// How often the samples of an hour are doubled.
const DOUBLED: u32 = 4;

/// Writes the hours and the last minutes.
pub(super) async fn write(storage: &dyn Storage, rng: &dyn Rng) -> queue::Result<()> {
    let writer = WorkerId::new("before-the-demo")?;
    let anywhere = QueueName::from_static("emails");
    let now = storage.get(&anywhere, &[], Detail::Meta).await?.now;
    for (length, slots) in [(SlotLength::Hour, HOURS), (SlotLength::Minute, MINUTES)] {
        let last = length.slot_at(now);
        // The last two hours are made of minutes.
        let end = if length == SlotLength::Hour { last - 1 } else { last };
        for slot in last - slots..end {
            let counts = counted(length, length.starts_at(slot), rng)?;
            let bytes = counts.encode().into();
            let entry = SeriesEntry { series: length.series(), slot, writer: writer.clone(), bytes };
            storage.write_series(entry, length.ttl()).await?;
        }
    }
    Ok(())
}

fn counted(length: SlotLength, at: Timestamp, rng: &dyn Rng) -> queue::Result<SlotCounts> {
    let mut counts = SlotCounts::default();
    let busy = busy_percent(at);
    for (place, (queue, kinds)) in QUEUES.iter().enumerate() {
        for (rank, kind) in kinds.iter().enumerate() {
            let most = if length == SlotLength::Hour { SAMPLES_MAX } else { 16 };
            let jobs = most * busy / 100 / (rank as u64 + 1) + rng.next_u64() % 3;
            let of_kind = counts.of_mut(&QueueName::new(queue)?, &Kind::new(kind)?);
            (0..jobs).for_each(|_| record(of_kind, place as u64, at, rng));
            if length == SlotLength::Hour {
                // Each sample stands for many.
                for _ in 0..DOUBLED {
                    let so_far = of_kind.clone();
                    of_kind.add(&so_far);
                }
            }
        }
    }
    Ok(counts)
}

/// Days are busier than nights, and weekdays than weekends.
fn busy_percent(at: Timestamp) -> u64 {
    let hours = at.as_millis().div_euclid(3_600_000);
    let hour = hours.rem_euclid(24);
    let day = hours.div_euclid(24).rem_euclid(7);
    let by_day = if day == 2 || day == 3 { 45 } else { 90 };
    let from_noon = (hour - 13).unsigned_abs();
    by_day * (100 - from_noon * 6) / 100
}

fn record(counts: &mut WorkCounts, place: u64, at: Timestamp, rng: &dyn Rng) {
    // A bad evening, for the charts to show.
    let is_bad = at.as_millis().div_euclid(3_600_000).rem_euclid(24 * 11) == 20;
    let failing = if is_bad { 400 } else { 25 };
    let outcome = match rng.next_u64() % 1_000 {
        number if number < failing => WorkOutcome::Failing,
        number if number < failing + failing / 4 => WorkOutcome::Failed,
        _ => WorkOutcome::Completed,
    };
    counts.count(outcome);
    let skew =
        |usual: u64| Duration::from_millis(usual * (1 << (rng.next_u64() % 6)) / 4 + rng.next_u64() % usual);
    counts.record(skew(20 + if is_bad { 900 } else { 30 }), skew(60 + 90 * place));
}
