//! The part of `cargo metadata` that the rules read.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
pub(super) struct Dependency {
    /// The package's own name, also where the manifest renames it.
    pub(super) name: String,
    #[serde(default)]
    pub(super) kind: Option<Kind>,
}

/// Cargo writes a normal dependency as a missing kind.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Dev,
    Build,
}

impl Dependency {
    /// True for what users of the crate get; false for what only its own tests see.
    pub(super) fn is_shipped(&self) -> bool {
        self.kind != Some(Kind::Dev)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Metadata};

    #[test]
    fn kinds_are_read_as_cargo_writes_them() {
        let json = r#"{"packages": [{"name": "a", "dependencies": [
            {"name": "b", "kind": null, "req": "^1"},
            {"name": "c", "kind": "dev"},
            {"name": "d", "kind": "build"}]}]}"#;
        let metadata: Metadata = serde_json::from_str(json).expect("this is the shape of cargo metadata");
        let [b, c, d] = metadata.packages[0].dependencies.as_slice() else { panic!("three dependencies") };
        assert!(b.kind.is_none() && b.is_shipped());
        assert!(c.kind == Some(Kind::Dev) && !c.is_shipped());
        assert!(d.kind == Some(Kind::Build) && d.is_shipped());
    }
}
