//! The path of this work tree, and its contents.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the work tree. Every command runs there, so that the caller's directory does not
/// matter.
pub(crate) struct Repo {
    root: PathBuf,
}

impl Repo {
    /// Finds the work tree by cargo's environment first: the compiled path is that of another clone
    /// if a target directory is shared.
    pub(crate) fn find() -> Self {
        let manifest_dir =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest_dir).parent().expect("xtask lies one folder below the root");
        Self { root: root.to_owned() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn target(&self) -> PathBuf {
        match env::var_os("CARGO_TARGET_DIR") {
            Some(target) => self.root.join(target),
            None => self.root.join("target"),
        }
    }

    pub(crate) fn has_crate(&self, name: &str) -> bool {
        self.root.join("crates").join(name).join("Cargo.toml").is_file()
    }
}
