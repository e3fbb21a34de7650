//! Cross-checks of all tables.

use super::Snapshot;
use crate::{migrate, sql};

/// How many findings of one check are reported.
const FINDINGS_MAX: usize = 100;

/// Everything that does not add up, in words (I20). It reads the whole file.
pub(crate) fn verify(snapshot: &Snapshot<'_>) -> rusqlite::Result<Vec<String>> {
    let mut findings = Vec::new();
    for check in sql::VERIFY {
        let mut statement = snapshot.connection.prepare(check)?;
        let found = statement.query_map([], |row| row.get(0))?;
        findings.extend(found.take(FINDINGS_MAX).collect::<Result<Vec<String>, _>>()?);
    }
    let version = migrate::version(snapshot.connection)?;
    if version != migrate::newest() {
        findings.push(format!("the schema version is {version}, not {}", migrate::newest()));
    }
    Ok(findings)
}
