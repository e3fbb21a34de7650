//! What the two sides have in common: the verbs, the form of each, and the number by which builds
//! recognise each other.

mod verbs;

pub(crate) use crate::wire::Topic;
pub(crate) use verbs::*;

use crate::wire::{VERSION, Wire, hash, mix};

/// What stands before the name of a verb in the path of a request.
pub(crate) const PATH: &str = "/store/v1/";
/// The header by which each side of a request and of an answer names its [`FINGERPRINT`].
pub(crate) const CONTRACT: &str = "queue-contract";
/// The header with the version of the library of the server that refuses a fingerprint.
pub(crate) const LIBRARY: &str = "queue-library";
/// The version of this library.
pub(crate) const LIBRARY_VERSION: &str = env!("CARGO_PKG_VERSION");
/// The content type of what is encoded by [`crate::wire`].
pub(crate) const CONTENT_TYPE: &str = "application/vnd.queue.store";

/// One verb of the contract: a request and its answer.
pub(crate) trait Verb {
    /// The last part of the path, and the name of the operation in errors.
    const NAME: &'static str;
    type Request: Wire + Send + Sync;
    type Answer: Wire + Send;

    /// The form of the verb as one number.
    const SCHEMA: u64 = mix(mix(hash(0, Self::NAME), Self::Request::SCHEMA), Self::Answer::SCHEMA);
}

/// The forms of all verbs and the version of the library, as one number. What a verb means may
/// change without a field, so builds of different versions never talk to each other.
pub(crate) const FINGERPRINT: u64 = mix(hash(VERSION as u64, LIBRARY_VERSION), ALL);

/// The fingerprint as it stands in a header.
pub(crate) fn fingerprint() -> String {
    format!("{FINGERPRINT:016x}")
}
