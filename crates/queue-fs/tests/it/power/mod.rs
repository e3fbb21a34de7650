//! Power cuts, crashes and failing calls on a simulated disk.
//!
//! A script of calls runs first on the store in memory, which gives the expected state after each
//! call. Then it runs on a simulated disk that fails at call number k of the file system, for every
//! k or for many at random. The state afterwards must be the one after the last acknowledged call,
//! or after the call that was under way.
//!
//! The simulated disk is as unkind as the rules allow: what was not flushed is lost or kept in
//! pieces of a sector and in any order, names that were not flushed are lost, and a failed flush
//! forgets what it should have written.
//!
//! `QUEUE_FS_CUTS=20000` cuts that often, `QUEUE_FS_FLIPS=10000` damages that often; the default is
//! a short slice.

mod bench;
mod bound;
mod calls;
mod cuts;
mod damage;
mod disk;
mod failures;
mod flips;
mod forgotten;
mod full;
mod held_up;
mod interval;
mod repairs;
mod rolling;
mod script;
mod sector;

/// The repetitions of a random test: a few, or as many as the environment asks for.
fn times(variable: &str, few: u64) -> u64 {
    std::env::var(variable).map_or(few, |text| text.parse().expect("a number of times"))
}
