//! Runs a script on a simulated disk.

use crate::power::{
    disk::Disk,
    script::{Script, View, make, view},
};
use queue_core::{Certainty, SeededRng, Storage};
use queue_fs::{Flush, FsOptions, FsStorage};
use std::sync::Arc;

/// The seed of the segments' salts.
const SEGMENT_SALTS: u64 = 1;

/// The options of the store: short segments, so that the journal is compacted, and little memory,
/// so that it is read.
pub(crate) fn options(disk: &Disk, script: &Script, flush: Flush) -> FsOptions {
    FsOptions::new("simulated")
        .fs(Arc::new(disk.clone()))
        .clock(script.clock.clone())
        .rng(Arc::new(SeededRng::new(SEGMENT_SALTS)))
        .flush(flush)
        .segment_bytes(1_500)
        .reserve_bytes(2_000)
        .memory_budget_bytes(600)
}

/// How far a script got.
pub(crate) struct Progress {
    /// The number of acknowledged calls.
    pub(crate) done: usize,
    /// The error of the call after them, if there was one.
    pub(crate) error: Option<queue_core::Error>,
}

/// Makes the calls from `from` on, until one fails.
pub(crate) async fn play(store: &FsStorage, script: &Script, from: usize) -> Progress {
    for (at, call) in script.calls.iter().enumerate().skip(from) {
        if let Err(error) = make(store, call).await {
            return Progress { done: at, error: Some(error) };
        }
    }
    Progress { done: script.calls.len(), error: None }
}

/// Opens the store and runs the script; a store that does not open has done nothing.
pub(crate) async fn open_and_play(disk: &Disk, script: &Script, flush: Flush, from: usize) -> Progress {
    match FsStorage::open(options(disk, script, flush)).await {
        Ok(store) => {
            let progress = play(&store, script, from).await;
            drop(store.close().await);
            progress
        }
        Err(error) => Progress { done: from, error: Some(error) },
    }
}

/// The number of calls whose effects the store shows: the acknowledged ones, or one more if that
/// may be.
///
/// # Panics
///
/// If it is neither, or the store's cross-check finds something.
pub(crate) async fn assert_state(
    store: &FsStorage,
    script: &Script,
    progress: &Progress,
    context: &str,
) -> usize {
    let findings = store.verify().await.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(findings, Vec::<String>::new(), "{context}");
    // A view takes the lock on its way, so the second view shows any records behind the
    // acknowledged ones.
    view(store).await;
    let found = view(store).await;
    if found == script.views[progress.done] {
        return progress.done;
    }
    let may_be_done = progress.error.as_ref().is_some_and(|error| error.certainty() == Certainty::Unknown);
    if may_be_done && progress.done < script.calls.len() && found == script.views[progress.done + 1] {
        return progress.done + 1;
    }
    let is = script.views.iter().position(|view: &View| *view == found);
    panic!(
        "{context}: {} calls were acknowledged, then came {:?}; the store is as after {is:?} of {}",
        progress.done,
        progress.error.as_ref().map(ToString::to_string),
        script.calls.len(),
    );
}

/// Opens the store, and returns how many calls it shows.
pub(crate) async fn recover(
    disk: &Disk,
    script: &Script,
    progress: &Progress,
    context: &str,
) -> (FsStorage, usize) {
    let opened = FsStorage::open(options(disk, script, Flush::Always)).await;
    let store = opened.unwrap_or_else(|error| panic!("{context}: {error}"));
    let done = assert_state(&store, script, progress, context).await;
    (store, done)
}
