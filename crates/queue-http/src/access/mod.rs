//! Who may do what: tokens and certificates, and what a request is checked for before any handler
//! sees it.

mod access_control;
mod bodies;
mod browser_rules;
#[cfg(feature = "server")]
mod certificate;
#[cfg(test)]
mod door_tests;
mod error;
mod gate;
mod key_file;
mod keys;
mod limits;
#[cfg(test)]
mod noise_tests;
mod pages;
mod principal;
mod private_file;
mod queue_in_path;
mod refusal;
mod scope;
mod shares;
mod token;
mod token_file;
mod token_table;
mod tokens;

pub use access_control::{AccessControl, CertificateSubject};
pub use browser_rules::BrowserRules;
#[cfg(feature = "server")]
pub(crate) use certificate::subject_of;
pub use error::AccessError;
pub(crate) use gate::Gate;
pub use keys::{ReceiptKeys, Seal};
pub use limits::RequestLimits;
pub use pages::TokenHolder;
pub use principal::Principal;
#[cfg(feature = "server")]
pub(crate) use private_file::read as read_private;
pub(crate) use refusal::Refusal;
pub use scope::{Scope, Scopes, UnknownScope};
pub use token::Token;
pub use token_file::{NewToken, Proof, TokenRecord, add_subject, add_token, list_tokens, revoke_token};
pub use tokens::Tokens;
