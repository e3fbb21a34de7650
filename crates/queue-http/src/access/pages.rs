//! The front door as pages for people need it: they log in with a token, and send forms.

use crate::access::{AccessControl, BrowserRules, Principal, ReceiptKeys, Refusal, Seal, tokens::NotLetIn};
use axum::response::IntoResponse;
use bytes::Bytes;
use http::{StatusCode, request::Parts};
use http_body::Body;
use http_body_util::{BodyExt, Limited};
use std::fmt;
use tokio::time::timeout;

/// A caller that logged in with a token, and which token it was. A session keeps this in place of
/// the token, and ends with the token.
#[derive(Clone)]
pub struct TokenHolder {
    id: String,
    digest: [u8; 32],
}

impl AccessControl {
    /// Checks that a request reached the service by a name of its own and, if it changes something,
    /// that a page of the service itself sent it, or something that is no browser. Pages of origins
    /// that are listed for calls count as pages of other sites here.
    ///
    /// # Errors
    /// The status of the refusal.
    pub fn check_page(&self, request: &Parts) -> Result<(), StatusCode> {
        self.rules().check_own(request).map_err(status)
    }

    /// The caller of a request, by its header, by its certificate, or because the service needs no
    /// token.
    pub fn caller(&self, request: &Parts) -> Option<Principal> {
        let found = self.principal(request);
        found.inspect_err(|reason| tracing::debug!(?reason, "a caller was not let in")).ok()
    }

    /// Whether a caller needs a token or a certificate.
    pub fn asks_for_tokens(&self) -> bool {
        self.tokens().is_some()
    }

    /// The holder of this token. Each later request checks it [again](Self::still).
    pub fn log_in(&self, token: &str) -> Option<TokenHolder> {
        let held = self.tokens().ok_or(NotLetIn::Nothing).and_then(|tokens| tokens.holder(token));
        let (id, digest) = held.inspect_err(|reason| tracing::debug!(?reason, "nobody logged in")).ok()?;
        Some(TokenHolder { id, digest })
    }

    /// The principal of a token that was presented before; `None` once it is revoked, replaced or
    /// over.
    pub fn still(&self, holder: &TokenHolder) -> Option<Principal> {
        self.tokens()?.still(&holder.id, &holder.digest).ok()
    }

    /// The principal of the token from which this [seal](TokenHolder::seal) was made. `None` once
    /// the token is revoked, replaced or expired, or when the key of the seal is no longer among
    /// these keys.
    pub fn sealed(
        &self,
        keys: &ReceiptKeys,
        purpose: &str,
        id: &str,
        parts: &[&[u8]],
        seal: Seal,
    ) -> Option<Principal> {
        let tokens = self.tokens()?;
        // An unknown token takes as long to check as a known one.
        let digest = tokens.digest(id).unwrap_or_default();
        let holder = TokenHolder { id: id.to_owned(), digest };
        let is_sealed = keys.verify(purpose, &holder.sealed_parts(parts), seal);
        self.still(&holder).filter(|_| is_sealed)
    }

    /// Reads a form whole, which has at most this many bytes.
    ///
    /// # Errors
    /// The status of the refusal.
    pub async fn read_form<B>(&self, body: B, bytes_max: usize) -> Result<Bytes, StatusCode>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if body.size_hint().lower() > bytes_max as u64 {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let read = Limited::new(body, bytes_max).collect();
        match timeout(self.request_limits().body_timeout, read).await {
            Ok(Ok(read)) => Ok(read.to_bytes()),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                Err(StatusCode::PAYLOAD_TOO_LARGE)
            }
            Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
        }
    }
}

impl TokenHolder {
    /// The id of the token, which is no secret.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Seals these parts for the holder of this very token, so that any server with these keys and
    /// this token [knows it again](AccessControl::sealed) without having kept anything.
    pub fn seal(&self, keys: &ReceiptKeys, purpose: &str, parts: &[&[u8]]) -> Seal {
        keys.sign(purpose, &self.sealed_parts(parts))
    }

    fn sealed_parts<'a>(&'a self, parts: &[&'a [u8]]) -> Vec<&'a [u8]> {
        [self.id.as_bytes(), &self.digest].into_iter().chain(parts.iter().copied()).collect()
    }
}

impl BrowserRules {
    /// The same checks as for calls, without the origins that are listed for those.
    fn check_own(&self, request: &Parts) -> Result<(), Refusal> {
        self.check_name(request)?;
        Self::default().check(request)
    }
}

fn status(refusal: Refusal) -> StatusCode {
    refusal.into_response().status()
}

impl fmt::Debug for TokenHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenHolder").field("id", &self.id).finish_non_exhaustive()
    }
}
