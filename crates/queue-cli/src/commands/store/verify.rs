//! The command `queue verify`: has a store compare its records with each other, and prints what it
//! finds.

use crate::{
    exit::{CliError, Exit},
    output::{Text, plural},
    session::{Missing, Session},
};
use serde_json::json;

/// Reads everything, so a large store takes a while. It changes nothing: contradictions are left to
/// the operator.
pub(crate) async fn run(session: &Session) -> Result<Exit, CliError> {
    let findings =
        session.with_jobs(Missing::Refuse, async |jobs| Ok(jobs.storage().verify().await?)).await?;
    session
        .out
        .answer(|| words(&findings), || json!({"sound": findings.is_empty(), "findings": findings}))?;
    Ok(if findings.is_empty() { Exit::Ok } else { Exit::Unusable })
}

fn words(findings: &[String]) -> Text {
    let lines: Text = findings.iter().map(|finding| Text::from(finding.as_str())).collect();
    lines.and(match findings.len() {
        0 => "The store is sound.".to_owned(),
        count => format!("The store is damaged: {} above.", plural(count as u64, "finding", "findings")),
    })
}
