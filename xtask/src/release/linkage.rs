//! What a binary needs of the system it runs on: nothing, or a C library from some version on.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::command;

/// The C library of Debian 12, the oldest system on which a binary of a release has to run.
const GLIBC_MOST: Version = (2, 36);

type Version = (u32, u32);

/// How a binary is linked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Linkage {
    /// It has all that it needs inside.
    Static,
    /// It needs the GNU C library, from this version on.
    Glibc { least: Version },
}

impl Linkage {
    /// Reads it of a binary, and refuses one that is too new for Debian 12.
    pub(super) fn of(binary: &Path) -> Result<Self> {
        let mut read = Command::new("readelf");
        read.args(["--wide", "--dynamic", "--version-info"]).arg(binary).env("LC_ALL", "C");
        let linkage = Self::read(&String::from_utf8_lossy(&command::output(&mut read)?));
        if let Self::Glibc { least } = linkage {
            ensure!(
                least <= GLIBC_MOST,
                "the binary needs glibc {}.{}, and Debian 12 has {}.{}: build it there, or for musl",
                least.0,
                least.1,
                GLIBC_MOST.0,
                GLIBC_MOST.1
            );
        }
        Ok(linkage)
    }

    /// What `readelf` says of the libraries and of the versions of their symbols.
    fn read(printed: &str) -> Self {
        let is_dynamic = printed.contains("(NEEDED)");
        let versions = printed.split("GLIBC_").skip(1).filter_map(version);
        match versions.max() {
            Some(least) => Self::Glibc { least },
            None if is_dynamic => Self::Glibc { least: (0, 0) },
            None => Self::Static,
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Self::Static => "static".to_owned(),
            Self::Glibc { least: (major, minor) } => {
                format!("needs glibc {major}.{minor} or later")
            }
        }
    }
}

/// The libraries of this machine that a program loads, the loader included.
pub(super) fn libraries(program: &Path) -> Vec<PathBuf> {
    let listed = Command::new("ldd").arg(program).env("LC_ALL", "C").output();
    let printed = listed.map(|output| output.stdout).unwrap_or_default();
    paths(&String::from_utf8_lossy(&printed))
}

/// Of a line such as `libc.so.6 => /lib/libc.so.6 (0x7f)`; `ldd` prints none for a static program.
fn paths(printed: &str) -> Vec<PathBuf> {
    let path = |line: &str| line.split_whitespace().find(|word| word.starts_with('/')).map(PathBuf::from);
    printed.lines().filter_map(path).collect()
}

/// The version at the beginning of a text such as `2.34  Flags: none`.
fn version(text: &str) -> Option<Version> {
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
    let mut numbers = text[..end].split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::{Linkage, paths};
    use std::path::Path;

    #[test]
    fn the_newest_symbol_decides() {
        let printed = "\
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
  0x0010:   Name: GLIBC_2.9  Flags: none  Version: 8
  0x0020:   Name: GLIBC_2.34  Flags: none  Version: 3
  0x0030:   Name: GLIBC_2.2.5  Flags: none  Version: 2
  0x0040:   Name: GLIBC_PRIVATE  Flags: none  Version: 2";
        assert_eq!(Linkage::read(printed), Linkage::Glibc { least: (2, 34) });
    }

    #[test]
    fn a_binary_without_libraries_is_static() {
        assert_eq!(Linkage::read(" 0x000000001e (FLAGS)  BIND_NOW"), Linkage::Static);
        assert_ne!(Linkage::read(" 0x1 (NEEDED)  Shared library: [libm.so]"), Linkage::Static);
    }

    #[test]
    fn libraries_are_the_paths_of_the_lines() {
        let printed =
            "\tlinux-vdso.so.1 (0x7ffe)\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\t/lib64/ld.so.2 (0x7f)\n";
        assert_eq!(paths(printed), [Path::new("/lib/libc.so.6"), Path::new("/lib64/ld.so.2")]);
        assert!(paths("\tstatically linked\n").is_empty());
    }
}
