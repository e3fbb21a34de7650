//! The one thread that a handle works with, and the verbs that it runs.
//!
//! Every call that waits goes into one record: it is written and flushed once, and only then is anybody answered. Calls
//! that only read are answered without the lock, unless they stand among writes; then they wait for these, since they may
//! have seen them.

mod commit;
mod session;
mod thread;
mod verbs;

pub(crate) use commit::Files;
pub(crate) use thread::{Shared, start};
pub(crate) use verbs::{
    Announce, Apply, Attempts, CatchUp, Claim, Count, Enqueue, FlushNow, Get, List, Measure, PruneSome,
    Queues, SetPaused, Verify, Workers,
};
