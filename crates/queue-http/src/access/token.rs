//! The text of a token: `qk_<id>_<secret>`.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use queue_core::Rng;
use sha2::{Digest, Sha256};
use std::fmt;

/// Scanners of source code find leaked tokens by it.
const PREFIX: &str = "qk_";
/// The longest id, in characters.
const ID_CHARS_MAX: usize = 32;
/// 32 bytes in base64url.
const SECRET_CHARS: usize = 43;

/// A token as its bearer has it: an id, which is no secret, and 256 random bits, which are. It is
/// printed once, when it is made, and never shown by `Debug`.
pub struct Token {
    id: String,
    secret: [u8; 32],
}

impl Token {
    /// Makes a token up.
    pub fn generate(rng: &dyn Rng) -> Self {
        let mut secret = [0; 32];
        secret[..16].copy_from_slice(&rng.next_u128().to_be_bytes());
        secret[16..].copy_from_slice(&rng.next_u128().to_be_bytes());
        Self { id: format!("{:012x}", rng.next_u64() >> 16), secret }
    }

    /// Reads what a bearer presents. `None` says that it is no token at all.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        if !is_id(id) || secret.len() != SECRET_CHARS {
            return None;
        }
        let secret = URL_SAFE_NO_PAD.decode(secret).ok()?;
        Some(Self { id: id.to_owned(), secret: secret.try_into().ok()? })
    }

    /// The id, which logs and listings contain.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What a server stores in place of the secret. A slow hash would add nothing, since 256 random
    /// bits cannot be guessed.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.secret).into()
    }

    /// The whole token, for the one time when it is shown.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}_{}", self.id, URL_SAFE_NO_PAD.encode(self.secret))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Whether the text can be the id of a token: lower-case letters, digits and `-`.
pub(super) fn is_id(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=ID_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_fine)
}

#[cfg(test)]
mod tests {
    use super::Token;
    use queue_core::SeededRng;

    #[test]
    fn a_token_is_read_back_as_it_was_shown_and_nothing_else_is_a_token() {
        let rng = SeededRng::new(1);
        for _ in 0..200 {
            let token = Token::generate(&rng);
            let text = token.reveal();
            let read = Token::parse(&text).unwrap();
            assert_eq!((read.id(), read.digest()), (token.id(), token.digest()));
            let cut = &text[..text.len() - 1];
            let spoiled = [cut, &text[1..], &text.to_uppercase(), &format!("{text}A"), &format!(" {text}")];
            assert!(spoiled.iter().all(|text| Token::parse(text).is_none()), "{text}");
        }
        let secret = "A".repeat(43);
        for text in ["", "qk_", "qk__", "qk_a_", &format!("qk__{secret}"), &format!("qk_A_{secret}")] {
            assert!(Token::parse(text).is_none(), "{text}");
        }
        assert!(Token::parse(&format!("qk_a_{secret}")).is_some());
        // The last character of 32 bytes has two bits to spare: one spelling of a secret is enough.
        assert!(Token::parse(&format!("qk_a_{}B", "A".repeat(42))).is_none());
    }

    #[test]
    fn the_secret_is_in_no_debug_output() {
        let token = Token::generate(&SeededRng::new(2));
        let secret = token.reveal().rsplit_once(token.id()).unwrap().1[1..].to_owned();
        assert!(!format!("{token:?}").contains(&secret));
    }
}
