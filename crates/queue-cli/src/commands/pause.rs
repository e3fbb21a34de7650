//! The commands `queue pause` and `queue resume`, which stop and restart the claims of a queue.

use crate::{
    exit::{CliError, Exit},
    session::{Missing, Session},
};
use serde_json::json;

/// A queue may be paused before its first job, in a store that is there.
pub(super) async fn pause(session: &Session) -> Result<Exit, CliError> {
    session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.pause().await?)).await?;
    answer(session, "paused")
}

pub(super) async fn resume(session: &Session) -> Result<Exit, CliError> {
    session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.resume().await?)).await?;
    answer(session, "resumed")
}

fn answer(session: &Session, word: &str) -> Result<Exit, CliError> {
    let name = session.name.as_str();
    session.out.answer(|| format!("{word} {name}"), || json!({"queue": name, "answer": word}))?;
    Ok(Exit::Ok)
}
