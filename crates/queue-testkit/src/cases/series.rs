//! Entries of series: small blobs by slot and writer, kept for a while.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{SeriesEntry, SeriesName, SeriesQuery, Span};
use std::time::Duration;

cases! { "series":
    a_series_is_empty_at_first [I20] (Series);
    entries_are_read_in_the_order_of_slots_and_writers [I20] (Series);
    an_entry_that_is_written_again_takes_the_place_of_the_former [I20] (Series);
    an_entry_that_is_sent_twice_is_there_once [I20] (Series);
    the_last_slot_of_a_range_is_not_read [I20] (Series);
    series_do_not_meet [I20] (Series);
    an_entry_expires_on_the_millisecond [I20] (Series);
    writing_again_prolongs_or_shortens [I20] (Series);
    no_time_at_all_removes_an_entry [I20] (Series);
    expired_entries_do_not_come_back [I20] (Series);
    pages_show_each_entry_once [I20] (Series);
    a_page_begins_between_two_writers_of_a_slot [I20] (Series);
    entries_are_any_bytes [I20] (Series);
    more_bytes_than_are_kept_are_refused_whole [I20] (Series);
    hostile_names_keep_apart [I20] (Series);
    slots_are_any_numbers [I20] (Series);
    entries_belong_to_no_queue [I20] (Series);
    pruning_a_queue_leaves_series_alone [I20] (Series);
    reading_tells_store_time [I24] (Series);
    series_are_shared_by_handles [I20] (Series SecondHandle);
    entries_are_there_after_reopening [I21] (Series Reopen);
    what_was_written_again_or_removed_is_so_after_reopening [I21] (Series Reopen);
}

const TTL: Duration = Duration::from_secs(10);

fn entry(slot: i64, writer: &str, bytes: &[u8]) -> SeriesEntry {
    entry_of("load", slot, writer, bytes)
}

fn entry_of(series: &str, slot: i64, writer: &str, bytes: &[u8]) -> SeriesEntry {
    let series = SeriesName::new(series).expect("a name");
    SeriesEntry { series, slot, writer: worker(writer), bytes: bytes.to_vec().into() }
}

async fn write(bench: &Bench, entry: SeriesEntry) {
    write_for(bench, entry, TTL).await;
}

async fn write_for(bench: &Bench, entry: SeriesEntry, ttl: Duration) {
    bench.store().write_series(entry, ttl).await.expect("it keeps series");
}

fn query(series: &str, limit: usize) -> SeriesQuery {
    SeriesQuery::new(SeriesName::new(series).expect("a name"), i64::MIN..i64::MAX, limit)
}

/// All pages of a query.
async fn read(bench: &Bench, query: SeriesQuery) -> Vec<SeriesEntry> {
    let mut found = Vec::new();
    let mut next = Some(query);
    while let Some(query) = next {
        let page = bench.store().read_series(query.clone()).await.expect("it keeps series").value;
        assert!(page.entries.len() <= query.limit(), "{} entries", page.entries.len());
        found.extend(page.entries);
        next = page.next;
    }
    found
}

async fn all(bench: &Bench) -> Vec<SeriesEntry> {
    read(bench, query("load", SeriesQuery::LIMIT_MAX)).await
}

async fn a_series_is_empty_at_first(bench: &Bench) {
    assert_eq!(all(bench).await, []);
}

/// Writers of one slot are in the order of their bytes.
async fn entries_are_read_in_the_order_of_slots_and_writers(bench: &Bench) {
    for (slot, writer) in [(2, "a"), (1, "b"), (1, "B"), (1, "\u{e9}"), (1, "b!"), (10, "a"), (1, "a")] {
        write(bench, entry(slot, writer, writer.as_bytes())).await;
    }
    let found: Vec<_> =
        all(bench).await.into_iter().map(|found| (found.slot, found.writer.to_string())).collect();
    let expected = [(1, "B"), (1, "a"), (1, "b"), (1, "b!"), (1, "\u{e9}"), (2, "a"), (10, "a")];
    assert_eq!(found, expected.map(|(slot, writer)| (slot, writer.to_owned())));
}

async fn an_entry_that_is_written_again_takes_the_place_of_the_former(bench: &Bench) {
    write(bench, entry(1, "a", b"older")).await;
    write(bench, entry(1, "b", b"other")).await;
    write(bench, entry(1, "a", b"new")).await;
    assert_eq!(all(bench).await, [entry(1, "a", b"new"), entry(1, "b", b"other")]);
}

/// As a caller does that got no answer.
async fn an_entry_that_is_sent_twice_is_there_once(bench: &Bench) {
    for _ in 0..3 {
        write(bench, entry(1, "a", b"x")).await;
    }
    assert_eq!(all(bench).await, [entry(1, "a", b"x")]);
}

async fn the_last_slot_of_a_range_is_not_read(bench: &Bench) {
    for slot in 1..=5 {
        write(bench, entry(slot, "a", b"")).await;
    }
    let of = |slots| SeriesQuery::new(SeriesName::from_static("load"), slots, 9);
    let slots = async |slots| read(bench, of(slots)).await.iter().map(|found| found.slot).collect::<Vec<_>>();
    assert_eq!(slots(2..4).await, [2, 3]);
    assert!(slots(4..4).await.is_empty());
    assert_eq!(slots(5..99).await, [5]);
    assert_eq!(slots(i64::MIN..2).await, [1]);
}

async fn series_do_not_meet(bench: &Bench) {
    for series in ["load", "loa", "load!", "Load"] {
        write(bench, entry_of(series, 1, "a", series.as_bytes())).await;
    }
    for series in ["load", "loa", "load!", "Load"] {
        assert_eq!(read(bench, query(series, 9)).await, [entry_of(series, 1, "a", series.as_bytes())]);
    }
    assert_eq!(read(bench, query("loads", 9)).await, []);
}

/// A millisecond before its expiry the entry is there; at the expiry it is not.
async fn an_entry_expires_on_the_millisecond(bench: &Bench) {
    write(bench, entry(1, "a", b"")).await;
    write_for(bench, entry(2, "a", b""), TTL * 2).await;
    bench.advance(Span::from_millis(9_999));
    assert_eq!(all(bench).await.len(), 2);
    bench.advance(MILLI);
    assert_eq!(all(bench).await, [entry(2, "a", b"")]);
}

/// The time counts from the last write, also if that comes to less.
async fn writing_again_prolongs_or_shortens(bench: &Bench) {
    write(bench, entry(1, "a", b"")).await;
    write_for(bench, entry(2, "a", b""), TTL * 9).await;
    bench.advance(Span::from_secs(9));
    write(bench, entry(1, "a", b"")).await;
    write(bench, entry(2, "a", b"")).await;
    bench.advance(Span::from_secs(9));
    assert_eq!(all(bench).await.len(), 2);
    bench.advance(Span::from_secs(1));
    assert_eq!(all(bench).await, []);
}

/// What is not there may be removed too.
async fn no_time_at_all_removes_an_entry(bench: &Bench) {
    write(bench, entry(1, "a", b"")).await;
    write(bench, entry(1, "b", b"")).await;
    for _ in 0..2 {
        write_for(bench, entry(1, "a", b""), Duration::ZERO).await;
    }
    assert_eq!(all(bench).await, [entry(1, "b", b"")]);
}

/// A store removes them with later writes, more than one write removes.
async fn expired_entries_do_not_come_back(bench: &Bench) {
    let many = i64::try_from(SeriesEntry::SWEPT_MAX + 5).expect("a small number");
    for slot in 0..many {
        write(bench, entry(slot, "a", b"old")).await;
    }
    bench.advance(Span::from_secs(10));
    write(bench, entry(3, "a", b"new")).await;
    write(bench, entry(-3, "b", b"new")).await;
    bench.advance(Span::from_secs(9));
    assert_eq!(all(bench).await, [entry(-3, "b", b"new"), entry(3, "a", b"new")]);
}

async fn pages_show_each_entry_once(bench: &Bench) {
    let mut expected = Vec::new();
    for slot in 0..5 {
        for writer in ["a", "b", "c"] {
            expected.push(entry(slot, writer, writer.as_bytes()));
            write(bench, expected[expected.len() - 1].clone()).await;
        }
    }
    for limit in [1, 2, 3, 7, 15, 99] {
        assert_eq!(read(bench, query("load", limit)).await, expected, "{limit} a page");
    }
}

/// A writer that comes in between is neither shown twice nor does it hide another.
async fn a_page_begins_between_two_writers_of_a_slot(bench: &Bench) {
    write(bench, entry(1, "a", b"")).await;
    write(bench, entry(1, "c", b"")).await;
    let page = bench.store().read_series(query("load", 1)).await.expect("it keeps series").value;
    assert_eq!(page.entries, [entry(1, "a", b"")]);
    for writer in ["A", "a ", "b"] {
        write(bench, entry(1, writer, b"")).await;
    }
    let rest = read(bench, page.next.expect("it was full")).await;
    assert_eq!(rest, [entry(1, "a ", b""), entry(1, "b", b""), entry(1, "c", b"")]);
}

async fn entries_are_any_bytes(bench: &Bench) {
    let every: Vec<u8> = (0..=u8::MAX).collect();
    let longest: Vec<u8> = every.iter().copied().cycle().take(SeriesEntry::BYTES_MAX).collect();
    for bytes in [vec![], vec![0], vec![0xFF, 0xFE], b"\n{}:'\"\\x41".to_vec(), every, longest] {
        write(bench, entry(1, "a", &bytes)).await;
        assert_eq!(all(bench).await, [entry(1, "a", &bytes)]);
    }
}

/// Nothing is written: the entry before stays.
async fn more_bytes_than_are_kept_are_refused_whole(bench: &Bench) {
    write(bench, entry(1, "a", b"x")).await;
    let longer = entry(1, "a", &vec![b'x'; SeriesEntry::BYTES_MAX + 1]);
    assert_refused(&bench.store().write_series(longer, TTL).await.expect_err("it is too long"));
    assert_eq!(all(bench).await, [entry(1, "a", b"x")]);
}

async fn hostile_names_keep_apart(bench: &Bench) {
    let texts = hostile();
    for (at, text) in texts.iter().enumerate() {
        write(bench, entry_of(text, 1, text, &[at as u8])).await;
    }
    for (at, text) in texts.iter().enumerate() {
        assert_eq!(read(bench, query(text, 9)).await, [entry_of(text, 1, text, &[at as u8])]);
    }
}

async fn slots_are_any_numbers(bench: &Bench) {
    let slots = [i64::MIN, i64::MIN + 1, -10, -9, -1, 0, 1, 9, 10, 1 << 40, (1 << 53) + 1, i64::MAX - 1];
    for slot in slots.iter().rev() {
        write(bench, entry(*slot, "a", b"")).await;
    }
    for limit in [1, 99] {
        let found: Vec<_> = read(bench, query("load", limit)).await.iter().map(|found| found.slot).collect();
        assert_eq!(found, slots);
    }
}

/// Nothing counts them, and they make no queue listed.
async fn entries_belong_to_no_queue(bench: &Bench) {
    write(bench, entry_of(bench.queue().as_str(), 1, "a", b"x")).await;
    assert_eq!(bench.counts().await.total(), 0);
    bench.assert_nothing_due().await;
}

async fn pruning_a_queue_leaves_series_alone(bench: &Bench) {
    write(bench, entry(1, "a", b"x")).await;
    bench.put("job").await;
    assert_eq!(bench.prune(queue_core::Prune::Everything, 9).await, 1);
    assert_eq!(all(bench).await, [entry(1, "a", b"x")]);
}

/// Not before the time of the last write.
async fn reading_tells_store_time(bench: &Bench) {
    let told = async || bench.store().read_series(query("load", 1)).await.expect("it keeps series").now;
    let before = told().await;
    bench.advance(Span::from_secs(7));
    write(bench, entry(1, "a", b"")).await;
    assert!(told().await.since(before) >= Duration::from_secs(7));
}

/// Otherwise an operator would see only the process that they are in.
async fn series_are_shared_by_handles(bench: &Bench) {
    let other = bench.second().await;
    write(bench, entry(1, "a", b"here")).await;
    write(&other, entry(1, "b", b"there")).await;
    let expected = [entry(1, "a", b"here"), entry(1, "b", b"there")];
    assert_eq!(all(bench).await, expected);
    assert_eq!(all(&other).await, expected);
}

async fn entries_are_there_after_reopening(bench: &Bench) {
    write(bench, entry(1, "a", b"x")).await;
    write_for(bench, entry(2, "a", b"y"), TTL * 2).await;
    bench.reopen().await;
    assert_eq!(all(bench).await, [entry(1, "a", b"x"), entry(2, "a", b"y")]);
    bench.advance(Span::from_secs(10));
    assert_eq!(all(bench).await, [entry(2, "a", b"y")]);
}

async fn what_was_written_again_or_removed_is_so_after_reopening(bench: &Bench) {
    for slot in 1..=3 {
        write(bench, entry(slot, "a", b"old")).await;
    }
    write(bench, entry(1, "a", b"new")).await;
    write_for(bench, entry(2, "a", b""), Duration::ZERO).await;
    bench.reopen().await;
    assert_eq!(all(bench).await, [entry(1, "a", b"new"), entry(3, "a", b"old")]);
}
