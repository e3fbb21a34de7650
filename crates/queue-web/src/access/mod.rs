//! Who sees the dashboard: the front door of `queue-http`, sessions, and proofs that a form came
//! from a page of the dashboard.

mod ended_sessions;
mod form_tokens;
mod policy;
mod sessions;

pub(crate) use form_tokens::FormTokens;
use form_tokens::{parse_seal, seal_text};
pub use policy::AccessPolicy;
pub(crate) use policy::Cookies;
pub(crate) use sessions::Sessions;
