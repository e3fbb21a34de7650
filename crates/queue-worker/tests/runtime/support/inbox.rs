//! A table that is source and sink, and misbehaves as scripted.

use super::Log;
use async_trait::async_trait;
use parking_lot::Mutex;
use queue_worker::runtime::{DoneItem, FailedItem, Finality, ItemError, Sink, Source};
use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};
use tokio::time::sleep;

/// A table of numbers, both source and sink, which logs every call and misbehaves as scripted.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) log: Log,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rows: VecDeque<u32>,
    claim_limits: Vec<usize>,
    claim_faults: VecDeque<Fault>,
    release_faults: VecDeque<Fault>,
    mark_fault: Option<Box<dyn FnMut(u32) -> Fault + Send>>,
    batches: Batches,
}

/// The fault of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    Refuse,
    Panic,
    Hang,
    Slow(Duration),
}

/// How the batch forms of the sink behave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Batches {
    /// The trait's default, which marks one by one.
    #[default]
    Loop,
    /// One call for the batch.
    Native,
    /// One call for the batch, which always fails.
    Refused,
}

impl Inbox {
    pub(crate) fn with(rows: impl IntoIterator<Item = u32>) -> Arc<Self> {
        let state = State { rows: rows.into_iter().collect(), ..State::default() };
        Arc::new(Self { log: Log::new(), state: Mutex::new(state) })
    }

    pub(crate) fn add(&self, row: u32) {
        self.edit(|state| state.rows.push_back(row));
    }

    pub(crate) fn fail_claims(&self, faults: impl IntoIterator<Item = Fault>) {
        self.edit(|state| state.claim_faults.extend(faults));
    }

    pub(crate) fn fail_releases(&self, faults: impl IntoIterator<Item = Fault>) {
        self.edit(|state| state.release_faults.extend(faults));
    }

    pub(crate) fn fail_marks(&self, fault: impl FnMut(u32) -> Fault + Send + 'static) {
        self.edit(|state| state.mark_fault = Some(Box::new(fault)));
    }

    pub(crate) fn batches(&self, batches: Batches) {
        self.edit(|state| state.batches = batches);
    }

    pub(crate) fn rows(&self) -> Vec<u32> {
        self.edit(|state| state.rows.iter().copied().collect())
    }

    pub(crate) fn claim_limits(&self) -> Vec<usize> {
        self.edit(|state| state.claim_limits.clone())
    }

    fn edit<R>(&self, edit: impl FnOnce(&mut State) -> R) -> R {
        edit(&mut self.state.lock())
    }

    async fn mark(&self, item: u32, line: String) -> Result<(), &'static str> {
        let fault = self.edit(|state| state.mark_fault.as_mut().map_or(Fault::None, |fault| fault(item)));
        fault.act().await?;
        self.log.push(line);
        Ok(())
    }
}

impl Fault {
    async fn act(self) -> Result<(), &'static str> {
        match self {
            Self::None => {}
            Self::Refuse => return Err("refused"),
            Self::Panic => panic!("scripted"),
            Self::Hang => std::future::pending().await,
            Self::Slow(wait) => sleep(wait).await,
        }
        Ok(())
    }
}

#[async_trait]
impl Source<u32> for Inbox {
    type Error = &'static str;

    async fn claim(&self, limit: usize) -> Result<Vec<u32>, &'static str> {
        let fault = self.edit(|state| {
            state.claim_limits.push(limit);
            state.claim_faults.pop_front().unwrap_or(Fault::None)
        });
        fault.act().await?;
        Ok(self.edit(|state| {
            let count = limit.min(state.rows.len());
            state.rows.drain(..count).collect()
        }))
    }

    async fn release(&self, items: &[u32]) -> Result<(), &'static str> {
        let fault = self.edit(|state| state.release_faults.pop_front().unwrap_or(Fault::None));
        fault.act().await?;
        self.log.push(format!("release {items:?}"));
        self.edit(|state| items.iter().rev().for_each(|item| state.rows.push_front(*item)));
        Ok(())
    }
}

#[async_trait]
impl Sink<u32> for Inbox {
    type Output = String;
    type Failure = &'static str;
    type Error = &'static str;

    async fn mark_done(&self, item: &u32, output: &String) -> Result<(), &'static str> {
        self.mark(*item, format!("done {item} {output}")).await
    }

    async fn mark_failed(
        &self,
        item: &u32,
        error: &ItemError<&'static str>,
        finality: Finality,
    ) -> Result<(), &'static str> {
        self.mark(*item, format!("failed {item} {finality:?}: {error}")).await
    }

    async fn mark_done_batch(&self, batch: &[DoneItem<u32, String>]) -> Result<(), &'static str> {
        match self.edit(|state| state.batches) {
            Batches::Loop => {
                for DoneItem { item, output } in batch {
                    self.mark_done(item, output).await?;
                }
            }
            Batches::Native => {
                let items: Vec<u32> = batch.iter().map(|it| it.item).collect();
                self.log.push(format!("done batch {items:?}"));
            }
            Batches::Refused => return Err("refused as a whole"),
        }
        Ok(())
    }

    async fn mark_failed_batch(&self, batch: &[FailedItem<u32, &'static str>]) -> Result<(), &'static str> {
        match self.edit(|state| state.batches) {
            Batches::Loop => {
                for FailedItem { item, error, finality } in batch {
                    self.mark_failed(item, error, *finality).await?;
                }
            }
            Batches::Native => {
                let items: Vec<u32> = batch.iter().map(|it| it.item).collect();
                self.log.push(format!("failed batch {items:?}"));
            }
            Batches::Refused => return Err("refused as a whole"),
        }
        Ok(())
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("rows", &self.rows).finish_non_exhaustive()
    }
}
