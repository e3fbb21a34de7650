//! Parts for authors of stores: what two or more stores need, and what has nothing to do with where
//! they keep jobs.
//!
//! A store implements [`queue_core::Storage`] and needs none of these. Each of them answers one
//! question:
//!
//! | a store that … | takes |
//! |---|---|
//! | has subscribers in this process | [`Hub`], which hands out hints, and [`Notices`], which collects them until the commit |
//! | gets hints through a channel of a server | [`HintStream`], which keeps the channel in use while there are listeners |
//! | blocks, and flushes a disk at each commit | [`group_commit`]: one thread that writes, and one transaction for all that wait |
//! | blocks, and can read while another call writes | [`Mailbox`]: calls for threads that end with their handle |
//! | learns of the writes of other processes by looking | [`watcher`]: a thread that looks when it is touched, and at times without |
//! | answers each call after a round trip | [`Coalesced`]: concurrent enqueues, claims, settles and reads go out as one |
//! | has sockets or tasks of its own | [`PerRuntime`]: each runtime that calls has its own, and waits for no other |
//! | serves several claims by one read | [`ClaimShares`], which deals the jobs out as if the claims came one by one |
//! | sets jobs of paused kinds aside | [`KindPauses`], what the kinds of a queue mean for one claim |
//! | has partitions, and writes many jobs in one transaction | [`PartitionChanges`], which writes the record of each partition once |
//! | leased jobs for a caller that has left | [`UnheardClaim`], which gives them back uncharged |
//! | keeps files | [`disk`]: what the disk is like, as findings |
//! | keeps bytes, and no columns | [`stored`]: a job as bytes and back, with a version |
//! | is named by a URL | [`UrlOption`]: lengths of time, numbers, choices and limits in it |
//! | sends values to a program of its own | [`queue_core::wire`]: numbers, texts and byte strings, and their wary reader |
//!
//! Absent on purpose: drivers, formats of files, and rules about jobs, which are all in
//! [`queue_core::lifecycle`].

mod claims;
mod coalesce;
pub mod disk;
mod events;
pub mod group_commit;
mod partition_changes;
mod per_runtime;
pub mod stored;
mod tasks;
mod threads;
mod url_option;

pub use claims::{ClaimShares, KindPauses, UnheardClaim};
pub use coalesce::{BatchVerbs, Coalesced};
pub use events::{HintStream, Hub, News, NoticeLevel, Notices};
pub use partition_changes::{PartitionChange, PartitionChanges};
pub use per_runtime::{PerRuntime, RuntimePart};
pub use tasks::{CurrentRuntime, Spawn};
pub use threads::{Mailbox, watcher};
pub use url_option::{
    LIMIT_OPTIONS, UNENCODED_LOGIN, UrlOption, decode_url, is_login_unencoded, url_options,
};
