//! One leader at a time, over any store: a permanent job whose holder leads.
//!
//! Every election is a queue of its own with one job that is never completed. A candidate wins by
//! claiming the job, stays leader by sending heartbeats, and resigns by releasing the job. A leader
//! that stops sending loses the job when its lease lapses. So leadership needs nothing of a store
//! beyond the contract, and rests on the same fences: `(seq, epoch)` of the claim grows with every
//! term.
//!
//! Invariants kept here: a [`Term`] says that it is held only while its lease certainly runs,
//! counted from before the heartbeat was sent; a candidate that is dropped leads nothing.
//!
//! Absent on purpose: a promise that the old leader has stopped working. A process that was frozen
//! notices only when it looks again, so everything that the leader writes elsewhere should carry
//! its [`Fence`].

mod builder;
mod campaign;
mod event;
mod fence;
mod holder;
mod leader;
mod term;

pub use builder::LeadershipBuilder;
pub use event::{LeadershipEvent, LostReason};
pub use fence::Fence;
pub use leader::Leadership;
pub use term::Term;
