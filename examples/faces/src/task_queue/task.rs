//! The trait by which a type of task names its kind and its output.

use serde::{Serialize, de::DeserializeOwned};

/// A type of task: what it asks for, and what it leaves.
pub trait Task: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name under which it is stored and finds its handler. It must not change while tasks of
    /// it are stored.
    const KIND: &'static str;
    /// What its handler answers.
    type Output: Serialize + DeserializeOwned + Send + Sync + 'static;
}
