//! Packages that hold a server's programs, and the tools that fetch them.

use std::fmt;
use std::process::{Command, Stdio};

use anyhow::Result;

use super::account::is_root;
use super::debian;

/// A package of one of three kinds. Versions stand in the code where the tool would take the newest
/// one, so that everybody tests against the same programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Package {
    Debian(&'static str),
    Python(Fetched),
    Node(Fetched),
}

/// A package that is unpacked into a folder of this work tree, not into the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fetched {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// The folder of the programs, below the one it is unpacked into.
    pub(super) programs: &'static str,
}

impl Package {
    /// True where this program has the tool and the right to fetch it.
    pub(super) fn is_within_reach(&self) -> Result<bool> {
        match self {
            Self::Debian(_) => Ok(is_root()? && debian::is_here()),
            Self::Python(_) => Ok(works("python3", &["-m", "pip", "--version"])),
            Self::Node(_) => Ok(works("npm", &["--version"])),
        }
    }

    /// What fetches it.
    pub(super) fn tool(&self) -> &'static str {
        match self {
            Self::Debian(_) => "root on Debian",
            Self::Python(_) => "pip",
            Self::Node(_) => "npm",
        }
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Debian(name) => write!(f, "Debian's package `{name}`"),
            Self::Python(fetched) => write!(f, "Python's package `{}`", fetched.name),
            Self::Node(fetched) => write!(f, "Node's package `{}`", fetched.name),
        }
    }
}

fn works(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::works;

    #[test]
    fn a_tool_that_is_missing_or_fails_does_not_work() {
        assert!(works("true", &[]));
        assert!(!works("false", &[]));
        assert!(!works("no-such-program", &[]));
    }
}
