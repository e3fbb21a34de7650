//! A durable job queue on Redis (7.0 or later) or Valkey (8 or later): standalone, behind
//! Sentinels, or on a Cluster.
//!
//! ```no_run
//! use queue_core::{ClaimRequest, ContentType, JobId, Kind, NewJob, Payload, QueueName, Span, Storage, SystemRng, WorkerId};
//! use queue_redis::{RedisOptions, RedisStorage};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = RedisStorage::open(RedisOptions::new("redis://localhost:6379/0?namespace=mail")?).await?;
//! let queue = QueueName::new("emails")?;
//! let payload = Payload::new("{}", ContentType::from_static("application/json"));
//! let job = NewJob::new(JobId::new("welcome-42")?, Kind::from_static("email"), payload);
//! store.enqueue(&queue, vec![vec![job]]).await?;
//!
//! let worker = WorkerId::new("me")?;
//! let claimed = store.claim(ClaimRequest::new(queue, worker, 10, Span::from_secs(30), &SystemRng)).await?;
//! assert_eq!(claimed.jobs[0].record.meta.id.as_str(), "welcome-42");
//! store.close().await?;
//! # Ok(()) }
//! ```
//!
//! # One script per verb
//! Each verb is one Lua script under `lua/`, which takes a whole batch and is atomic. It reads and
//! checks, collects what is to be written, and writes at the end, because a script that fails
//! half-way is not rolled back. Scripts are sent by their digest, and whole when the server does
//! not know them. There are no rules of a job's life in Lua: a transition arrives decided, as a
//! guard to compare and fields to write, and `lua/apply.lua` says field by field what
//! [`queue_core::lifecycle::apply`] says in Rust. The suite compares the two record by record. The
//! gates that a step raises and signals are other jobs, which no caller has read: what
//! [`queue_core::lifecycle::raise`], [`receive`](queue_core::lifecycle::receive) and
//! [`look`](queue_core::lifecycle::look) say of them is in `lua/part/gates.lua`, and
//! `tests/it/gates/same.rs` compares the two.
//!
//! # Keys
//! All keys of a queue share one hash tag, its name with every byte outside `A-Z a-z 0-9 - _ . ~`
//! escaped, so that they are in one slot and no name can escape its tag. A key is
//! `namespace:{tag}:part`; there is no key per job, so that every key a script uses is among its
//! `KEYS`.
//!
//! | part | type | holds |
//! |---|---|---|
//! | `meta` | hash | last seq, the queue's number, pause (and whether there are paused kinds, may be jobs behind gates, or are partitions or limits), paused kinds, a counter for each state, limits, turns, and a field for each partition (`lua/part/lanes.lua`) |
//! | `ids` | hash | id to seq |
//! | `state` | hash | seq to everything about a job that is small: a string of fixed places (`src/row.rs`) |
//! | `payload` | hash | seq to payload, and behind it headers, written once |
//! | `outcome` | hash | seq to results of more than 128 bytes, to error details, to the attempts that were charged and to end signals; a smaller result stands in the state string, and so does a gate |
//! | `ready` | sorted set | due jobs as priority, `run_at`, seq in bytes, all with score 0, so that their order is exact |
//! | `later` | sorted set | jobs whose time is to come as seq, priority, `run_at` in bytes, by `run_at` |
//! | `leases` | sorted set | seq by lapse |
//! | `done` | sorted set | seq of terminal jobs by purge time |
//! | `blocks`, `fill` | sorted set, hash | which blocks of 1,024 seqs hold records, and how many: the index of listings by seq |
//! | `listed` | sorted set | failing, failed and cancelled jobs as state, time, seq in bytes, and jobs with tags as tag, 0, seq, and due jobs of paused kinds that claims have set aside as 6, kind, 0 and their member of `ready`, and jobs behind closed gates as 7, time-out, seq, priority, and what partitions need (next table), all with score 0 |
//!
//! A job of a partition has the key at the end of its member of `later`, of a line and of the gated
//! ones. When it is due it is in `listed` and not in `ready`:
//!
//! | first byte | holds |
//! |---|---|
//! | 8 | due jobs in their partition as key, 0 and what a member of `ready` would be |
//! | 9 | the same jobs in one order over all partitions, for listings and counts |
//! | 11, 12 | fronts: partitions that have a job to give and a slot, as priority, turn, key; those whose leases are limited stand apart |
//! | 14, 15 | the keys of partitions, and of those with a limit of their own |
//!
//! A slot is a lease, so leases are counted where `leases` changes, in the same script. Full
//! partitions have no front, so that no claim meets them.
//!
//! Of the namespace there are, under the tag `{*}`: `layout` (the version of all this), `queues`
//! (name to number), `names` (the same names in order), `workers` and `present` (presence),
//! `series`, `entries` and `expiries` (keys of entries in order, entries, keys by expiry), `mark`
//! (the highest time that a write was decided by; on a Cluster each queue has a `mark` of its own).
//! A seq is a queue's own count and, in its lowest 20 bits, the queue's number.
//!
//! | verb | cost per job, where n is the size of an index |
//! |---|---|
//! | enqueue | one look for the id, three hash fields written, one entry of an index: O(log n) |
//! | claim | state read, and the payload if it has room, whose length the state has; state written, one entry leaves by rank and one enters: O(log n); one leaves `listed` if it had failed. Only with paused kinds: also one look at each kind and at the state of each job that is set aside, at most 1,000. Only with partitions: two looks at each partition that it takes a job of, and one field and one entry written |
//! | settle | state read and written, with it a small result, one entry leaves and one enters: O(log n); a failure enters `listed`, and adds to its attempts, which are read if there are some; with end signals these are read, and each job that they are to is read and written once in a script |
//! | get | the id, the state, the large parts if asked for; what many tasks ask for at once is one script |
//! | list | O(log n) and at most 2,000 records of an index; running or held under a token: one look at each lease of the queue; along all jobs: up to 4,000 seqs, used or not |
//! | attempts | the id, the state, one field |
//! | counts | O(log n), and one look per priority in use, for each paused kind too |
//! | prune | O(log n); `FinishedBefore` walks the terminal jobs of the queue, a thousand per script |
//! | verify | everything at once: for tests and operators |
//!
//! In batches of 500 the server spends about 3 microseconds on a job for each of enqueue, claim and
//! settle; a call about a single job costs it 20 to 25, of which reading and writing the job is the
//! smaller part. That is why calls of many tasks travel together. A pending job with a payload of
//! 100 bytes takes about 550 bytes, a completed one with a small result about 590 (Redis 7.0, ids
//! of 32 bytes; `tests/it/server_time.rs` measures all of this).
//!
//! # Durability
//! What an acknowledged write survives is the server's setting, which
//! [`capabilities`](queue_core::Storage::capabilities) reports: `Power` with `appendonly yes` and
//! `appendfsync always`, `Process` with any other append-only file, and `None` without one. A
//! replica that is promoted may lack the newest writes, with [`RedisOptions::wait_for_replicas`]
//! fewer of them. With `appendfsync everysec` a killed process of the server has handed over what
//! it answered, unless its disk was behind; a machine that loses power loses the acknowledged
//! writes of the last second, two when its disk is slow, each script whole or not at all. After a
//! loss it is as if these writes had never been: jobs, claims and outcomes among them come again,
//! and so do seqs and epochs, so that a program which fences other resources with them needs
//! `appendfsync always`. A server that may evict keys is refused unless [`Eviction::Allow`] is set.
//! When its memory is full it refuses enqueues and goes on with claims, settles and pruning, so
//! that workers drain it.
//!
//! # Time
//! Store time is the latest of the server's clock, of the highest time that a write was decided by,
//! which is written with it, and of what this handle measured since the last answer
//! ([`StoreTime`](queue_core::StoreTime)). So it never goes back, and goes on at 63/64 of real time
//! while the clock is behind. Claims write it down then, even claims that find nothing. Leases are
//! times in an index, not times to live of keys. On a Cluster each queue has its own time, the time
//! of its node.
//!
//! # Hints
//! A handle gets the hints of all its queues on one further connection for each runtime that
//! subscribes, on which it listens to up to three channels of each queue: `namespace:{tag}:wake`
//! when a claim may find something, `:ends` when an awaited job ended, `:feed` for every change,
//! which scripts publish only if it was requested within the last minute. They use `PUBLISH`, on a
//! Cluster too, so that any node will do to listen to. After a lost connection each subscriber gets
//! [`Hint::Missed`](queue_core::Hint::Missed). On `:ends` a result of at most 128 bytes comes with
//! the end of its job, as [`Hint::Completed`](queue_core::Hint::Completed), which spares the waiter
//! a read.
//!
//! # Failures
//! A refusal (`READONLY`, `LOADING`, `OOM`, `MOVED`, a wrong login and so on) is certain: nothing
//! was applied. After a lost connection or a timeout the outcome is unknown, and nothing is sent
//! again here: that is for the caller to judge. Only what a Cluster refuses for the moment is sent
//! again, for about five seconds, so that a queue may move from node to node. While its slot moves
//! its calls wait; large queues hold up both nodes then, as any large key does.
//!
//! A call's time-out counts to the end of its answer, since the driver does not tell that one is
//! coming in. Answers are bounded: one of 16 MiB, the default of claims and reads, needs a line of
//! 3.5 MB/s to arrive within the default of 5 s.
//!
//! On a Cluster each master has a connection of its own, so that one which stands still holds up
//! its own queues and no others. Every master refuses calls while one is down, unless the servers
//! have `cluster-require-full-coverage no`. Of the namespace as a whole, the master of the tag
//! `{*}` is needed to open a handle, for the first job of a queue and for presence.
//!
//! # Runtime
//! A handle may be used on any tokio runtime, on several at once, and on one after the other. Each
//! runtime that calls has a connection of its own, on a Cluster one to each master, and one more
//! that listens once it subscribes. Calls of different runtimes share nothing, so that a runtime
//! which stands still, because a task blocks its thread or no thread drives it, holds up its own
//! calls alone. Connections and the listener end with their runtime. Calls that were on their way
//! are lost with it, with an unknown outcome, and its streams of hints end, so that a reader on
//! another runtime subscribes again. Connections of an application's own pool are used as the pool
//! has them, from any runtime.
//!
//! # Permissions
//! What a user needs is one line of the page of this store, `docs/stores/redis.md`, under Rights.
//! Opening runs every command that scripts use on a key of the wrong type, so that a right which is
//! missing is named then, and not in the middle of a script.
//!
//! # Absent on purpose
//! A key per job, keys that expire by themselves, and `SCAN` or `KEYS` in normal operation. Reading
//! from replicas: a claim decided on old data would be refused, and a result that is not there yet
//! would look expired.

mod attempts;
mod audit;
mod body;
mod client;
mod clock;
mod endpoint;
mod error;
mod gate;
mod handle;
mod imported;
mod keys;
mod kinds;
mod known_queues;
mod limits;
mod link;
mod new_job;
mod options;
mod probe;
mod reader;
mod reply;
mod rights;
mod row;
mod script;
mod shapes;
mod spawn;
mod storage;
mod tls;
mod transition;
mod url;
mod verbs;
mod wakeup;

pub use options::{Eviction, RedisOptions};
pub use storage::RedisStorage;
