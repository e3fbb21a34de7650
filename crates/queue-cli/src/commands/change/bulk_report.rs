//! Reports the outcome of a change to many jobs.

use crate::{
    exit::{CliError, Exit},
    output::plural,
    session::Session,
};
use queue::BulkChange;
use serde_json::json;

/// Prints how many jobs were changed, and fails
/// if some could not be changed because of an error.
pub(crate) fn tell(word: &str, change: BulkChange, session: &Session) -> Result<Exit, CliError> {
    let object = || json!({"removed": change.done, "gone": change.gone, "skipped": change.skipped, "failed": change.failed});
    session.out.answer(|| counted(word, change.done, change.gone, change.skipped), object)?;
    match change.error {
        None => Ok(Exit::Ok),
        Some(error) => {
            let failed = plural(change.failed, "job", "jobs");
            Err(CliError::from(error).context(format!("{failed} not changed; run it again")))
        }
    }
}

/// How many jobs were changed, had been removed, and were left as they were.
pub(super) fn counted(word: &str, done: u64, gone: u64, skipped: u64) -> String {
    let done = plural(done, "job", "jobs");
    let gone = match gone {
        0 => String::new(),
        gone => format!(", {gone} no longer there"),
    };
    let skipped = match skipped {
        0 => String::new(),
        skipped => format!(", left {skipped} as they were"),
    };
    format!("{word} {done}{gone}{skipped}")
}
