//! `cargo xtask test`: every test and example of the workspace, against private servers.
//!
//! `cargo test` runs one test program after another, and ours wait for most of their time: for
//! leases that lapse, for retries, for servers. So several run at once here. All run to their end,
//! also after a failure, and the output of each is shown in one piece when it ends. What failed
//! comes after all others, so that also the end of a log has it.

mod program;

use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use anyhow::{Result, ensure};

use self::program::{Ended, Program, built};
use crate::command;
use crate::repo::Repo;
use crate::services;

/// How many test programs run at once for each processor.
const PROGRAMS_PER_PROCESSOR: usize = 2;

/// Runs the programs whose name has one of the words, or all of them and every example in the docs.
pub(crate) fn run(repo: &Repo, words: &[String]) -> Result<()> {
    let mut programs = built(repo)?;
    programs.retain(|program| words.is_empty() || words.iter().any(|word| program.name.contains(word)));
    ensure!(!programs.is_empty(), "no test program has such a name");
    programs.sort_by_key(Program::place);
    let (alone, together): (Vec<_>, Vec<_>) = programs.into_iter().partition(Program::is_alone);
    services::with_everyday_servers(repo, |servers| {
        let at_once = thread::available_parallelism()?.get() * PROGRAMS_PER_PROCESSOR;
        let mut ended = all(together, at_once, servers);
        ended.extend(all(alone, 1, servers));
        judge(&ended)?;
        if words.is_empty() {
            let examples = ["test", "--workspace", "--all-features", "--doc"];
            command::run(command::cargo(repo, &examples).envs(servers.iter().cloned()))?;
        }
        Ok(())
    })
}

/// Runs them in their order, so many at once, and shows each when it ends.
fn all(programs: Vec<Program>, at_once: usize, servers: &[(String, String)]) -> Vec<Ended> {
    let waiting = Mutex::new(programs.into_iter());
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..at_once {
            let (waiting, tell) = (&waiting, tell.clone());
            scope.spawn(move || {
                // The lock is free again before the program runs.
                let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some(program) = next() {
                    drop(tell.send(program.run(servers)));
                }
            });
        }
        drop(tell);
        told.into_iter()
            .inspect(|ended| {
                if ended.passed {
                    ended.show();
                }
            })
            .collect()
    })
}

fn judge(ended: &[Ended]) -> Result<()> {
    let failed: Vec<_> = ended.iter().filter(|ended| !ended.passed).inspect(|ended| ended.show()).collect();
    let names: Vec<_> = failed.iter().map(|ended| ended.name.as_str()).collect();
    let count = ended.len();
    ensure!(failed.is_empty(), "{} of {count} test programs failed: {}", failed.len(), names.join(", "));
    println!("{count} test programs passed");
    Ok(())
}
