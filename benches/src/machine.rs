//! A description of the machine: its processor, memory and kernel.

use serde::{Deserialize, Serialize};
use std::{fs, process::Command, thread};

/// What the measurements ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) memory_gib: u64,
    /// The name and version of the kernel.
    pub(crate) kernel: String,
}

impl Machine {
    pub(crate) fn look() -> Self {
        Self {
            cpu: field("/proc/cpuinfo", "model name"),
            cores: thread::available_parallelism().map_or(0, usize::from),
            memory_gib: memory_gib(),
            kernel: said_by("uname", &["-srm"]),
        }
    }
}

/// What a program prints; empty if there is no such program, or if it fails.
pub(crate) fn said_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn memory_gib() -> u64 {
    let kib: u64 = field("/proc/meminfo", "MemTotal").trim_end_matches(" kB").parse().unwrap_or_default();
    (kib + (1 << 19)) >> 20
}

fn field(path: &str, name: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(':'));
    line.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}
