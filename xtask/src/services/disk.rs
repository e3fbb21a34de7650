//! Whether a folder is on a disk. In memory, a write that waits for the disk costs nothing and
//! proves nothing.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

const IN_MEMORY: &[&str] = &["tmpfs", "ramfs"];

/// Refuses a folder in memory. Where the kind of file system cannot be told, it is taken for a
/// disk.
pub(super) fn require(folder: &Path) -> Result<()> {
    let kind = kind(folder);
    ensure!(
        !IN_MEMORY.contains(&kind.as_str()),
        "{} is kept in memory ({kind}): let TMPDIR name a folder on a disk",
        folder.display()
    );
    Ok(())
}

fn kind(folder: &Path) -> String {
    let output = Command::new("stat").args(["-f", "-c", "%T"]).arg(folder).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::require;
    use std::path::Path;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_in_memory_is_refused() {
        let error = require(Path::new("/dev/shm")).expect_err("Linux keeps it in memory");
        assert!(error.to_string().contains("TMPDIR"), "{error}");
    }

    #[test]
    fn what_cannot_be_told_is_taken() {
        require(Path::new("/no/such/folder")).expect("nothing is known against it");
    }
}
