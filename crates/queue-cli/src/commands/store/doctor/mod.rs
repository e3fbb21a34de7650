//! The command `queue doctor`: looks at the health of a store, and says what to do.

mod bundle;

use crate::{
    exit::{CliError, Exit},
    output::{Format, Output, Text, plural},
    session::{Missing, Session},
};
use clap::Args;
use queue::{
    Storage,
    doctor::{Diagnosis, Doctor, Finding, Severity},
};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};

/// The exit code for a store that is broken. The argument parser uses this number too, but then
/// there is no finding.
const BROKEN: Exit = Exit::Invalid;

#[derive(Debug, Args)]
#[command(after_help = "\
Exits with 0 if all is well, with 1 if there are warnings, with 2 if something is broken. What could not be looked at changes nothing \
about that. docs/tasks/doctor.md lists the codes of all findings. Nothing is written but one job of the queue \"queue.doctor\", \
which is removed again.

With --json each finding is a line.")]
pub(crate) struct DoctorArgs {
    /// Write a compressed archive for bug reports: the findings, and figures of queues and workers,
    /// without payloads, ids and passwords
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Say what it means that the store was just restored from a backup
    #[arg(long)]
    restored: bool,
    /// A finding that is known and accepted: it is shown, and changes no exit code
    #[arg(long, value_name = "CODE")]
    accept: Vec<String>,
}

pub(crate) async fn run(args: DoctorArgs, session: &Session) -> Result<Exit, CliError> {
    if let Some(wrong) = args.accept.iter().find(|code| !Finding::is_code(code)) {
        return Err(CliError::invalid(format!("{wrong:?} is no code of a finding, such as disk-room")));
    }
    // An existing file at the bundle's path is reported before any check runs.
    let bundle = args.bundle.as_deref().map(bundle::create).transpose()?;
    let (diagnosis, storage) = match session.open(Missing::Refuse).await {
        Ok(storage) => (look(&args, session, &storage).await, Some(storage)),
        Err(error) => (Diagnosis::unopened(error.of_store()?, &session.url), None),
    };
    let bundled = match bundle {
        Some(file) => bundle::write(file, &diagnosis, storage.as_deref(), &session.url).await,
        None => Ok(()),
    };
    if let Some(storage) = storage {
        // The findings stand even if this handle fails to close.
        drop(storage.close().await);
    }
    tell(&diagnosis, &args.accept, session.out)?;
    bundled?;
    let open = diagnosis.findings.iter().filter(|finding| !is_accepted(finding, &args.accept));
    Ok(exit_of(open.map(|finding| finding.severity).max().unwrap_or(Severity::Fine)))
}

async fn look(args: &DoctorArgs, session: &Session, storage: &Arc<dyn Storage>) -> Diagnosis {
    let mut doctor = Doctor::new(storage.clone()).queue(session.name.clone());
    if args.restored {
        doctor = doctor.restored();
    }
    // Some stores take one handle at a time; then the probe is made with that one.
    let Ok(producer) = session.open(Missing::Refuse).await else { return doctor.examine().await };
    let diagnosis = doctor.producer(producer.clone()).examine().await;
    // The check is over, even if this handle fails to close.
    drop(producer.close().await);
    diagnosis
}

fn tell(diagnosis: &Diagnosis, accepted: &[String], out: Output) -> Result<(), CliError> {
    match out.format() {
        Format::Json => {
            diagnosis.findings.iter().try_for_each(|finding| out.object(&object(finding, accepted)))?;
        }
        Format::Human => out.text(words(diagnosis, accepted))?,
    }
    Ok(())
}

fn words(diagnosis: &Diagnosis, accepted: &[String]) -> Text {
    let lines = diagnosis.findings.iter().flat_map(|finding| {
        let mark = if is_accepted(finding, accepted) { " (accepted)" } else { "" };
        let Finding { code, severity, seen, advice, .. } = finding;
        let first = format!("{severity:<8} {code}{mark}: {seen}");
        let second = (!advice.is_empty()).then(|| format!("         do: {advice}"));
        std::iter::once(first).chain(second)
    });
    let text: Text = lines.map(Text::from).collect();
    text.and_apart(verdict(diagnosis, accepted))
}

fn verdict(diagnosis: &Diagnosis, accepted: &[String]) -> String {
    let of = |severity| {
        let all = diagnosis.findings.iter().filter(|finding| !is_accepted(finding, accepted));
        all.filter(|finding| finding.severity == severity).count() as u64
    };
    let checks = plural(diagnosis.findings.len() as u64, "check", "checks");
    match (of(Severity::Broken), of(Severity::Warning)) {
        (0, 0) => format!("The store is well: {checks}."),
        (0, warnings) => format!("{checks}, {}.", plural(warnings, "warning", "warnings")),
        (broken, warnings) => {
            format!("{checks}: {broken} found something broken, {}.", plural(warnings, "warning", "warnings"))
        }
    }
}

fn object(finding: &Finding, accepted: &[String]) -> Value {
    json!({
        "code": finding.code,
        "severity": finding.severity.as_str(),
        "seen": finding.seen,
        "advice": finding.advice,
        "accepted": is_accepted(finding, accepted),
    })
}

fn is_accepted(finding: &Finding, accepted: &[String]) -> bool {
    accepted.iter().any(|code| *code == finding.code)
}

fn exit_of(severity: Severity) -> Exit {
    match severity {
        Severity::Fine | Severity::Unknown => Exit::Ok,
        Severity::Warning => Exit::Negative,
        _ => BROKEN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_warnings_and_what_is_broken_change_the_exit_code() {
        let exits = [Severity::Fine, Severity::Unknown, Severity::Warning, Severity::Broken].map(exit_of);
        assert_eq!(exits.map(|exit| exit as u8), [0, 0, 1, 2]);
    }
}
