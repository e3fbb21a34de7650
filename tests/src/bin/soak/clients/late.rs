//! Settles that came too late: refused, reported to the user, and not sent again.

use super::tape::ClaimKey;
use std::collections::{BTreeSet, HashMap};

/// What one process met. It may be killed in the second after an answer, before it reported
/// anything.
const TIME_TO_TELL_NS: u64 = 1_000_000_000;

/// The settles of one process.
#[derive(Debug, Default)]
pub(super) struct Late {
    /// The settles that have their last answer, by receipt.
    final_answers: HashMap<String, FinalAnswer>,
    keys: HashMap<String, ClaimKey>,
    told: BTreeSet<ClaimKey>,
    /// What a client must not do.
    pub(super) faults: Vec<String>,
    pub(super) refused: usize,
}

#[derive(Debug)]
struct FinalAnswer {
    at: u64,
    is_refusal: bool,
}

impl Late {
    pub(super) fn settled(&mut self, receipt: &str, key: ClaimKey) {
        self.keys.insert(receipt.to_owned(), key);
        if self.final_answers.contains_key(receipt) {
            self.faults.push(format!("{key:?} was settled again after its last answer"));
        }
    }

    pub(super) fn answered(&mut self, receipt: &str, outcome: &str, at: u64) {
        let is_refusal = matches!(outcome, "lease_lost" | "missing");
        if is_refusal || outcome == "done" {
            self.refused += usize::from(is_refusal);
            self.final_answers.insert(receipt.to_owned(), FinalAnswer { at, is_refusal });
        }
    }

    pub(super) fn told(&mut self, key: ClaimKey) {
        self.told.insert(key);
    }

    /// The process ended at this time: it has reported all that it had the time to report.
    pub(super) fn end(&mut self, at: u64) {
        let late = self.final_answers.iter().filter(|(_, answer)| answer.is_refusal);
        let in_time = late.filter(|(_, answer)| answer.at + TIME_TO_TELL_NS < at);
        let silent =
            in_time.filter_map(|(receipt, _)| self.keys.get(receipt)).filter(|key| !self.told.contains(key));
        let faults: Vec<String> =
            silent.map(|key| format!("nobody was told that {key:?} was settled too late")).collect();
        self.faults.extend(faults);
    }
}
