//! Processes that compute, beside which tests are tried.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// Looks after every round whether this program still lives, and ends with it.
const COMPUTE: &str =
    "while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done; done";

/// So many of them, until this is dropped.
pub(super) struct Busy(Vec<Child>);

impl Busy {
    pub(super) fn start(count: usize) -> Result<Self> {
        let mut busy = Self(Vec::new());
        for _ in 0..count {
            let mut sh = Command::new("sh");
            sh.args(["-c", COMPUTE]).stdin(Stdio::null()).stdout(Stdio::null());
            busy.0.push(sh.spawn().context("cannot start a process that computes")?);
        }
        Ok(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for process in &mut self.0 {
            // Both fail if it has ended already.
            drop(process.kill());
            drop(process.wait());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Busy;

    #[test]
    fn processes_run_until_they_are_dropped() {
        let mut busy = Busy::start(2).expect("sh starts");
        assert_eq!(busy.0.len(), 2);
        assert!(busy.0.iter_mut().all(|process| process.try_wait().is_ok_and(|ended| ended.is_none())));
    }
}
