//! An empty store for each measurement.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::catalog::Store;
use crate::machine::said_by;

/// The database on the server that each measurement has to itself.
const DATABASE: &str = "peers";

/// Where a store is measured.
pub(crate) struct Place<'a> {
    pub(crate) store: Store,
    /// Of the server; nothing for a store without one.
    pub(crate) url: &'a str,
    pub(crate) scratch: &'a Path,
}

impl Place<'_> {
    /// Empties the store. The answer is what a peer opens: a URL, a folder, or nothing.
    pub(crate) fn empty(&self) -> Result<String> {
        match self.store {
            Store::Memory => Ok(String::new()),
            Store::Files | Store::Sqlite => self.empty_folder(),
            Store::Postgres => self.empty_database(),
            Store::Redis => {
                run(redis(self.url).arg("FLUSHALL"))?;
                Ok(self.url.to_owned())
            }
        }
    }

    /// What holds the jobs, and what an acknowledged one survives: read from the server.
    pub(crate) fn engine(&self) -> String {
        match self.store {
            Store::Memory => "in the process: jobs end with it".to_owned(),
            Store::Files => "files on the disk of the work tree".to_owned(),
            Store::Sqlite => "SQLite, as each library brings and sets it".to_owned(),
            Store::Postgres => {
                let version = said_by(psql(self.url).args(["-tA", "-c", "SHOW server_version"]));
                format!("PostgreSQL {version} at its defaults: each commit is flushed to the disk")
            }
            Store::Redis => {
                let info = said_by(redis(self.url).args(["INFO", "server"]));
                let version = info.lines().find_map(|line| line.trim().strip_prefix("redis_version:"));
                let version = version.unwrap_or_default();
                format!("Redis {version} without persistence: jobs end with the server, for all queues alike")
            }
        }
    }

    fn empty_folder(&self) -> Result<String> {
        let folder: PathBuf = self.scratch.join("store");
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder.display().to_string())
    }

    /// A checkpoint comes before the measurement rather than in it.
    fn empty_database(&self) -> Result<String> {
        let statements = [
            format!("DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)"),
            format!("CREATE DATABASE {DATABASE}"),
            "CHECKPOINT".to_owned(),
        ];
        for statement in statements {
            run(psql(self.url).args(["-c", &statement]))?;
        }
        Ok(in_database(self.url))
    }
}

fn psql(url: &str) -> Command {
    let mut psql = Command::new("psql");
    psql.args(["--quiet", "--no-psqlrc", url]).env("PGOPTIONS", "-c client_min_messages=warning");
    psql
}

fn redis(url: &str) -> Command {
    let mut redis = Command::new("redis-cli");
    redis.args(["--no-auth-warning", "-u", url]);
    redis
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    let status = command.stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}

/// The same server, and the database of the measurement.
fn in_database(url: &str) -> String {
    let server = url.rsplit_once('/').map_or(url, |(server, _)| server);
    format!("{server}/{DATABASE}")
}

#[cfg(test)]
mod tests {
    use super::{Place, Store, in_database};

    #[test]
    fn a_measurement_has_a_database_of_its_own() {
        assert_eq!(in_database("postgres://a:b@127.0.0.1:5/postgres"), "postgres://a:b@127.0.0.1:5/peers");
    }

    #[test]
    fn a_folder_is_empty_again() {
        let scratch = tempfile::tempdir().expect("a folder");
        let place = Place { store: Store::Files, url: "", scratch: scratch.path() };
        let folder = place.empty().expect("a new folder");
        std::fs::write(format!("{folder}/a"), "").expect("a file");
        assert_eq!(place.empty().expect("the same folder"), folder);
        assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0);
    }
}
