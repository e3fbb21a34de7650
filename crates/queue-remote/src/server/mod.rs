//! The service that answers the calls of remote handles, over any store.
//!
//! One verb is one `POST` to a path that ends with its name. A request is refused before it is read
//! unless it names the contract of this build and the content type of the wire, which no form of a
//! web page can send.

mod answer_body;
mod dispatch;
mod hint_body;
mod request;
mod service;

pub use answer_body::AnswerBody;
pub use service::StoreService;
