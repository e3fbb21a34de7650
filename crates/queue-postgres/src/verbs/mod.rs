//! The verbs of the contract, one per file, each as the statements that it sends.

mod apply;
mod attempts;
mod claim;
mod counts;
mod enqueue;
mod enqueue_new;
mod get;
mod list;
mod listen;
mod pause;
mod presence;
mod prune;
mod short_column;
mod verify;

pub(crate) use apply::{Apply, apply_all};
pub(crate) use attempts::ReadAttempts;
pub(crate) use claim::Claim;
pub(crate) use counts::{CountJobs, ListQueues};
pub(crate) use enqueue::{Enqueue, enqueue_jobs};
pub(crate) use enqueue_new::EnqueueNew;
pub(crate) use get::Get;
pub(crate) use list::List;
pub(crate) use listen::{Follow, Intern, Notify};
pub(crate) use pause::SetPaused;
pub(crate) use presence::{Announce, DrainWorker, ListWorkers};
pub(crate) use prune::PruneSome;
pub(crate) use verify::Verify;
