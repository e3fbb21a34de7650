//! `PgBouncer` in transaction mode, in front of the Postgres of tests: a session lasts for one
//! transaction.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::package::Package;
use super::postgres::POSTGRES;
use super::server::{Place, Server, folder_with, search_path};

const PROGRAM: &str = "pgbouncer";
/// Who clients are to the pooler. Behind it, all of them are the user of the Postgres URL.
const USER: &str = "queue";

pub(super) struct PgBouncer;

impl Server for PgBouncer {
    fn name(&self) -> &'static str {
        "pgbouncer"
    }

    fn variable(&self) -> &'static str {
        "QUEUE_TEST_PGBOUNCER_URL"
    }

    fn store(&self) -> Option<&'static str> {
        Some("queue-postgres")
    }

    fn needs(&self) -> Option<&'static str> {
        Some(POSTGRES.name())
    }

    fn package(&self) -> Package {
        Package::Debian("pgbouncer")
    }

    fn find(&self) -> Option<PathBuf> {
        folder_with(search_path(), &[PROGRAM])
    }

    fn prepare(&self, _bin: &Path, place: &Place) -> Result<()> {
        let target = Target::parse(place.needed_url.as_deref().unwrap_or_default())?;
        place.account.write(&users_file(place), &format!("\"{USER}\" \"{}\"\n", place.password))?;
        place.account.write(&settings_file(place), &settings(place, &target))
    }

    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command> {
        let mut pgbouncer = Command::new(bin.join(PROGRAM));
        pgbouncer.arg(settings_file(place));
        vec![pgbouncer]
    }

    /// It writes this file once it listens, into its own folder, so no other one can be mistaken
    /// for it.
    fn answers(&self, place: &Place) -> bool {
        pid_file(place).is_file()
    }

    fn url(&self, place: &Place) -> String {
        format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", place.password, place.port())
    }

    /// What ends it at once in every version: `TERM` and `INT` have changed their meaning.
    fn stop_signal(&self) -> &'static str {
        "QUIT"
    }
}

/// Clients may ask for the precision of floating-point numbers, which the pooler would refuse; all
/// else that it does not know is refused.
fn settings(place: &Place, target: &Target<'_>) -> String {
    let Target { user, password, host, port, database } = target;
    let (own_port, users, pid) = (place.port(), users_file(place), pid_file(place));
    let (users, pid) = (users.display(), pid.display());
    format!(
        "[databases]\n\
         postgres = host={host} port={port} dbname={database} user={user} password={password}\n\
         [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {own_port}\nunix_socket_dir =\n\
         auth_type = scram-sha-256\nauth_file = {users}\npidfile = {pid}\n\
         pool_mode = transaction\ndefault_pool_size = 20\nmax_client_conn = 300\n\
         ignore_startup_parameters = extra_float_digits\n"
    )
}

fn settings_file(place: &Place) -> PathBuf {
    place.folder.join("pgbouncer.ini")
}

fn users_file(place: &Place) -> PathBuf {
    place.folder.join("users")
}

fn pid_file(place: &Place) -> PathBuf {
    place.folder.join("pid")
}

/// The Postgres behind it.
#[derive(Debug, PartialEq, Eq)]
struct Target<'a> {
    user: &'a str,
    password: &'a str,
    host: &'a str,
    port: &'a str,
    database: &'a str,
}

impl<'a> Target<'a> {
    /// Only the plain form, which is the one that this program hands out.
    fn parse(url: &'a str) -> Result<Self> {
        Self::try_parse(url).with_context(|| {
            let (name, form) = (POSTGRES.variable(), "postgres://USER:PASSWORD@HOST:PORT/DATABASE");
            format!("pgbouncer needs {name} in the form {form}, without parameters and escapes")
        })
    }

    fn try_parse(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"))?;
        let (login, place) = rest.split_once('@')?;
        let (user, password) = login.split_once(':')?;
        let (address, database) = place.split_once('/')?;
        let (host, port) = address.rsplit_once(':')?;
        let parts = [user, password, host, port, database];
        let is_plain = |part: &&str| {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
            !part.is_empty() && part.chars().all(plain)
        };
        parts.iter().all(is_plain).then_some(Self { user, password, host, port, database })
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, settings};
    use crate::services::server::sample_place;

    #[test]
    fn only_a_plain_url_is_taken() {
        let target = Target::parse("postgres://me:secret@127.0.0.1:5/data").expect("it is plain");
        let expected =
            Target { user: "me", password: "secret", host: "127.0.0.1", port: "5", database: "data" };
        assert_eq!(target, expected);
        for other in [
            "",
            "postgres://me@h:5/d",
            "postgres://me:a%20b@h:5/d",
            "postgres://me:a@h:5/d?x=y",
            "redis://a:b@c:5/d",
        ] {
            let error = Target::parse(other).expect_err(other);
            assert!(error.to_string().contains("QUEUE_TEST_POSTGRES_URL"), "{error}");
        }
    }

    #[test]
    fn sessions_last_for_a_transaction() {
        let target = Target::parse("postgres://me:secret@h:5/data").expect("it is plain");
        let text = settings(&sample_place(&[7]), &target);
        for line in [
            "postgres = host=h port=5 dbname=data user=me password=secret",
            "pool_mode = transaction",
            "listen_addr = 127.0.0.1",
            "listen_port = 7",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
