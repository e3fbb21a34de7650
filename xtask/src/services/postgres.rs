//! Postgres, a cluster made for one run, and `PgBouncer` in front of it, both reachable by password
//! over loopback alone.

use std::process::Command;

use anyhow::{Context, Result};

use super::certificates::Certificates;
use super::server::{Durability, Place, Plan, Sign};

/// The cluster's own superuser: tests create schemas and end sessions. And who clients are to the
/// pooler.
const USER: &str = "queue";
/// Many test processes, each with a pool.
const SETTINGS: &[&str] = &["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"];
/// How a password is proved where many tests log in: a proof by SCRAM computes 4,096 hashes, on
/// both sides of a login. Those over TLS and for measurements do.
const CHEAP_PROOF: &str = "--auth=md5";
const PROOF: &str = "--auth=scram-sha-256";
/// Nothing waits for the disk.
const SETTINGS_NOT_DURABLE: &[&str] = &["fsync=off", "full_page_writes=off"];
/// Who may come in where connections are encrypted: with the password, and the certificate of the
/// same user.
const ACCESS_BY_TLS: &str = "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-full\n";

pub(super) fn postgres(place: &Place) -> Result<Plan> {
    let [data, password, access] = ["data", "password", "access"].map(|name| place.folder.join(name));
    let mut initdb = Command::new(place.bin.join("initdb"));
    initdb.arg("--pgdata").arg(&data).arg("--pwfile").arg(&password).args(["--username", USER]);
    let is_for_tests = place.durability == Durability::None && !place.tls;
    initdb.arg(if is_for_tests { CHEAP_PROOF } else { PROOF });
    initdb.args(["--encoding=UTF8", "--locale=C", "--no-sync"]);

    let mut files = vec![(password, place.password.clone())];
    let mut url = url(place);
    let mut settings: Vec<String> = SETTINGS.iter().copied().map(str::to_owned).collect();
    if place.durability == Durability::None {
        settings.extend(SETTINGS_NOT_DURABLE.iter().copied().map(str::to_owned));
    }
    if place.tls {
        let certificates = Certificates::below(&place.folder);
        let [authority, certificate, key] = certificates.of_server().map(|file| file.display().to_string());
        settings.extend(["ssl=on".to_owned(), format!("hba_file={}", access.display())]);
        settings.extend([format!("ssl_ca_file={authority}"), format!("ssl_cert_file={certificate}")]);
        settings.push(format!("ssl_key_file={key}"));
        files.extend(certificates.make()?);
        files.push((access, ACCESS_BY_TLS.to_owned()));
        let of_client = certificates.options(["sslrootcert", "sslcert", "sslkey"]);
        url = format!("{url}?sslmode=verify-full&{of_client}");
    }

    let mut postgres = Command::new(place.bin.join("postgres"));
    postgres.arg("-D").arg(&data).arg("-p").arg(place.ports[0].to_string());
    postgres.args(settings.iter().flat_map(|setting| ["-c", setting]));
    Ok(Plan {
        files,
        setup: Some(initdb),
        processes: vec![postgres],
        stop_signal: "INT", // `TERM` would wait for clients to leave
        answers: vec![Sign::File(data.join("postmaster.pid"), "ready")],
        join: Vec::new(),
        serves: Vec::new(),
        url,
    })
}

/// In transaction mode: a session lasts for one transaction. Behind it, all clients are the user of
/// the Postgres URL.
pub(super) fn pgbouncer(place: &Place) -> Result<Plan> {
    let target = target(place.needed_url.as_deref().unwrap_or_default()).context(
        "pgbouncer needs QUEUE_TEST_POSTGRES_URL in the form postgres://USER:PASSWORD@HOST:PORT/DATABASE, \
         without parameters and escapes",
    )?;
    let [settings, users, pid] = ["pgbouncer.ini", "users", "pid"].map(|name| place.folder.join(name));
    // Clients may ask for the precision of floating-point numbers, which the pooler would refuse.
    let text = format!(
        "[databases]\npostgres = {target}\n\
         [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\nunix_socket_dir =\n\
         auth_type = scram-sha-256\nauth_file = {}\npidfile = {}\n\
         pool_mode = transaction\ndefault_pool_size = 20\nmax_client_conn = 300\n\
         ignore_startup_parameters = extra_float_digits\n",
        place.ports[0],
        users.display(),
        pid.display()
    );
    let mut pgbouncer = Command::new(place.bin.join("pgbouncer"));
    pgbouncer.arg(&settings);
    Ok(Plan {
        files: vec![(users, format!("\"{USER}\" \"{}\"\n", place.password)), (settings, text)],
        setup: None,
        processes: vec![pgbouncer],
        stop_signal: "QUIT", // at once in every version: `TERM` and `INT` have changed their meaning
        answers: vec![Sign::File(pid, "")],
        join: Vec::new(),
        serves: Vec::new(),
        url: url(place),
    })
}

fn url(place: &Place) -> String {
    format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", place.password, place.ports[0])
}

/// A URL as the pooler writes it. Only the plain form, which is the one that this program hands
/// out.
fn target(url: &str) -> Option<String> {
    let (login, place) = url.strip_prefix("postgres://")?.split_once('@')?;
    let (user, password) = login.split_once(':')?;
    let (address, database) = place.split_once('/')?;
    let (host, port) = address.rsplit_once(':')?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_plain = |part: &&str| !part.is_empty() && part.chars().all(plain);
    [user, password, host, port, database]
        .iter()
        .all(is_plain)
        .then(|| format!("host={host} port={port} dbname={database} user={user} password={password}"))
}

#[cfg(test)]
mod tests {
    use super::{pgbouncer, postgres, target};
    use crate::services::server::{Durability, Place, sample_place};

    #[test]
    fn only_a_durable_cluster_waits_for_the_disk() {
        let line = |durability| {
            let plan = postgres(&Place { durability, ..sample_place(1, false) }).expect("a plan");
            crate::command::line(&plan.processes[0])
        };
        assert!(line(Durability::None).contains("fsync=off"));
        assert!(!line(Durability::Disk).contains("off"));
    }

    #[test]
    fn logins_are_cheap_only_where_nothing_is_measured_and_nothing_is_encrypted() {
        let setup = |durability, tls| {
            let place = Place { durability, ..sample_place(1, tls) };
            crate::command::line(&postgres(&place).expect("a plan").setup.expect("initdb"))
        };
        assert!(setup(Durability::None, false).contains("md5"));
        assert!(setup(Durability::Disk, false).contains("scram-sha-256"));
        assert!(setup(Durability::None, true).contains("scram-sha-256"));
    }

    #[test]
    fn behind_the_pooler_sessions_last_for_a_transaction() {
        let plan = pgbouncer(&sample_place(1, false)).expect("a plan");
        let text = &plan.files[1].1;
        let target = "postgres = host=h port=5 dbname=data user=me password=secret";
        for line in [target, "pool_mode = transaction", "listen_addr = 127.0.0.1", "listen_port = 1"] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }

    #[test]
    fn only_a_plain_url_is_taken() {
        for other in [
            "",
            "postgres://me@h:5/d",
            "postgres://me:a%20b@h:5/d",
            "postgres://me:a@h:5/d?x=y",
            "redis://a:b@c:5/d",
        ] {
            assert_eq!(target(other), None, "{other}");
        }
    }
}
