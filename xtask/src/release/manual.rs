//! The manual pages of the command.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::made::Made;
use crate::command;
use crate::machine::works;

const FOLDER: &str = "man/man1";

/// Has the command write them, and reads each as a user would.
pub(super) fn make(queue: &Path, made: &mut Made) -> Result<()> {
    let folder = made.folder().join(FOLDER);
    command::output(Command::new(queue).arg("man").arg(&folder))?;
    let has_reader = works("man", &["--version"]);
    let proof = if has_reader { "`man` shows it without a warning" } else { "written by the command" };
    for entry in fs::read_dir(&folder).context("the command wrote no pages")? {
        let page = entry?.path();
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if has_reader {
            read(&page)?;
        }
        made.add(&format!("{FOLDER}/{name}"), proof);
    }
    if !has_reader {
        made.not_proved("that manual pages can be read: there is no `man`");
    }
    Ok(())
}

fn read(page: &Path) -> Result<()> {
    let mut man = Command::new("man");
    man.args(["--warnings=w", "--encoding=UTF-8", "--local-file"]).arg(page);
    let output = man.env("MANPAGER", "cat").env("MANWIDTH", "80").output().context("cannot start `man`")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let is_shown = output.status.success() && complaint.is_empty() && !output.stdout.is_empty();
    ensure!(is_shown, "`man` does not like {}: {complaint}", page.display());
    Ok(())
}
