//! What cargo says that it built: a line of JSON for each library and program.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

/// What makes cargo say so. Warnings and errors are still shown to people.
pub(crate) const TOLD: &str = "--message-format=json-render-diagnostics";

/// A line, as far as it is needed. Lines about anything else leave all of it empty.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Artifact {
    pub(crate) package_id: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) target: Target,
    pub(crate) profile: Profile,
    /// The features of its package that were on.
    pub(crate) features: Vec<String>,
    pub(crate) executable: Option<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Target {
    pub(crate) name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Profile {
    pub(crate) test: bool,
}

/// All that were built, also where they were there before.
pub(crate) fn artifacts(told: &[u8]) -> Result<Vec<Artifact>> {
    let lines = serde_json::Deserializer::from_slice(told).into_iter();
    lines.collect::<Result<_, _>>().context("cargo tells what cannot be read")
}
