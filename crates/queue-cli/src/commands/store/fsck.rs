//! The command `queue fsck`: checks the files of a store in a directory, and repairs them on
//! request.

use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    output::{self, Output, Text, plural},
};
use clap::Args;
use queue::queue_fs::{CheckReport, check, repair};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Exits with 6 if there is damage that was not repaired.")]
pub(crate) struct FsckArgs {
    /// The directory of the store: the path after `file:` in its URL
    directory: PathBuf,
    /// Save what can be read into a new file, and set the damaged files aside. Programs that have
    /// the store open are shut out
    #[arg(long)]
    repair: bool,
}

impl FsckArgs {
    pub(crate) fn effect(&self) -> Effect {
        Effect::change_if(self.repair)
    }
}

/// Reads files and waits for a lock without a runtime, since the program does nothing else
/// meanwhile.
pub(crate) fn run(args: &FsckArgs, out: Output) -> Result<Exit, CliError> {
    let report = if args.repair { repair(&args.directory)? } else { check(&args.directory)? };
    out.answer(|| words(&report), || object(&report))?;
    let is_mended = report.is_sound() || args.repair;
    Ok(if is_mended { Exit::Ok } else { Exit::Unusable })
}

fn words(report: &CheckReport) -> Text {
    let row = |file: &queue::queue_fs::FileReport| {
        vec![file.name.clone(), file.bytes.to_string(), file.records.to_string()]
    };
    let files = output::table(["FILE", "BYTES", "RECORDS"], report.files.iter().map(row));
    let mut lines: Vec<String> = report.damage.iter().map(|damage| format!("damaged: {damage}")).collect();
    if report.records_lost > 0 {
        lines.push(format!("{} cannot be found.", plural(report.records_lost, "record", "records")));
    }
    if report.torn_bytes > 0 {
        lines.push(format!(
            "{} at the end, left by a crash in the middle of a write. The next program that opens the store removes them.",
            plural(report.torn_bytes, "byte", "bytes")
        ));
    }
    lines.extend(report.put_aside.iter().map(|name| format!("put aside: {name}")));
    lines.push(verdict(report));
    Text::from(files).and(lines.into_iter().map(Text::from).collect::<Text>())
}

fn verdict(report: &CheckReport) -> String {
    let jobs = plural(report.jobs, "job", "jobs");
    match (report.is_sound(), report.put_aside.is_empty()) {
        (true, _) => format!("The store is sound; it has {jobs}."),
        (false, true) => format!("The store is damaged; --repair saves {jobs}."),
        (false, false) => {
            format!(
                "The store was damaged; {jobs} saved. Programs that had it open are shut out: start them again."
            )
        }
    }
}

fn object(report: &CheckReport) -> Value {
    let files: Vec<Value> = report
        .files
        .iter()
        .map(|file| json!({"name": file.name, "bytes": file.bytes, "records": file.records}))
        .collect();
    let damage: Vec<Value> = report
        .damage
        .iter()
        .map(|damage| json!({"file": damage.file, "offset": damage.offset, "what": damage.what}))
        .collect();
    json!({
        "sound": report.is_sound(),
        "files": files,
        "damage": damage,
        "records_lost": report.records_lost,
        "torn_bytes": report.torn_bytes,
        "jobs": report.jobs,
        "put_aside": report.put_aside,
    })
}
