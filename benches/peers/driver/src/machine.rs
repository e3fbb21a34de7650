//! The machine in words.

use std::fs;
use std::process::Command;
use std::thread;

/// Its cores, memory, kernel and compiler.
pub(crate) fn describe() -> String {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let kib: u64 = field("/proc/meminfo", "MemTotal").trim_end_matches(" kB").parse().unwrap_or_default();
    let gib = (kib + (1 << 19)) >> 20;
    let rustc = said_by(Command::new("rustc").arg("--version"));
    let rustc = rustc.split(" (").next().unwrap_or_default();
    let kernel = said_by(Command::new("uname").arg("-srm"));
    format!("{cores} cores of {}, {gib} GiB, {kernel}, {rustc}", field("/proc/cpuinfo", "model name"))
}

/// How many processes wanted to run in the last minute: more than none, and others disturbed the
/// measurement.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// What a program prints; empty if there is no such program, or if it fails.
pub(crate) fn said_by(command: &mut Command) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn field(path: &str, name: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(':'));
    line.map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}
