//! The work whose instructions `cargo xtask guard` counts: one subject in a process, one thread,
//! fixed seeds and a clock that stands still, so that a second run takes the same instructions.
//!
//! Time is deliberately not measured here: it says something about the machine, and instructions
//! about the code.

mod codec;
mod counted;
mod decide;
mod job;
mod journal;
mod memory;
mod worker;

use anyhow::Context;
use counted::Work;
use std::env;

/// A subject by its name.
type Subject = (&'static str, fn(Work) -> anyhow::Result<()>);

const SUBJECTS: &[Subject] = &[
    ("decide", decide::run),
    ("memory-enqueue", memory::enqueue),
    ("memory-claim", memory::claim),
    ("memory-apply", memory::apply),
    ("journal-encode", journal::run),
    ("codec-json", codec::json),
    ("codec-msgpack", codec::msgpack),
    ("worker", worker::run),
];

/// Without an argument the subjects are named. `--planted` behind a name does a ninth of the work
/// twice: what the guard must see.
fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (name, work) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            for (name, _) in SUBJECTS {
                println!("{name}");
            }
            return Ok(());
        }
        [name] => (name, Work::Once),
        [name, "--planted"] => (name, Work::Planted),
        _ => anyhow::bail!("usage: queue-guard [SUBJECT [--planted]]"),
    };
    let (_, run) = SUBJECTS.iter().find(|(known, _)| *known == name).context("no such subject")?;
    run(work)
}
