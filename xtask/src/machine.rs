//! What the checks need of the machine besides Rust and a C compiler: installed in one step where
//! that is allowed, or else left out, with a line that says so.
//!
//! Root on Debian gets every package that is missing from one call of `apt-get`. Elsewhere a
//! missing server is an error with the ways out, and what needs another missing program is skipped.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::repo::Repo;
use crate::services::Everyday;
use crate::{clients, guard, services, web};

/// A program that is not ours, and what needs it.
struct Tool {
    name: &'static str,
    needed_for: &'static str,
    is_here: fn() -> bool,
    /// Of Debian.
    packages: &'static [&'static str],
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "Python with venv",
        needed_for: "the Python client",
        is_here: clients::has_python,
        packages: &["python3", "python3-venv"],
    },
    Tool {
        name: "Node with npm",
        needed_for: "the Node client and the dashboard in a browser",
        is_here: clients::has_node,
        packages: &["nodejs", "npm"],
    },
    Tool {
        name: "Chromium",
        needed_for: "the dashboard in a browser",
        is_here: web::has_browser,
        packages: &["chromium"],
    },
    Tool {
        name: "valgrind",
        needed_for: "the count of instructions",
        is_here: guard::is_possible,
        packages: &["valgrind"],
    },
];

/// Installs what is missing. Returns what will be left out, and why.
pub(crate) fn run(repo: &Repo) -> Result<Vec<String>> {
    let lacking = || TOOLS.iter().filter(|tool| !(tool.is_here)());
    let servers = Everyday::select(repo)?;
    let packages: Vec<&str> =
        lacking().flat_map(|tool| tool.packages).copied().chain(servers.lacking_packages()).collect();
    if !packages.is_empty() && services::may_install()? {
        println!("installing Debian's {}", packages.join(", "));
        services::install(&packages).context("packages cannot be installed")?;
    }
    servers.ensure()?;
    let mut left: Vec<String> = lacking()
        .map(|Tool { name, needed_for, .. }| format!("{needed_for}, as there is no {name}"))
        .collect();
    left.extend(clients::prepare(repo));
    left.extend(web::prepare(repo));
    for what in &left {
        println!("SKIPPED: {what}");
    }
    if left.is_empty() {
        println!("everything is here");
    }
    Ok(left)
}

/// Whether a program can be started and ends well.
pub(crate) fn works(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, works};

    #[test]
    fn a_program_that_is_missing_or_fails_does_not_work() {
        assert!(works("true", &[]));
        assert!(!works("false", &[]) && !works("no-such-program", &[]));
        assert!(TOOLS.iter().all(|tool| !tool.packages.is_empty()));
    }
}
