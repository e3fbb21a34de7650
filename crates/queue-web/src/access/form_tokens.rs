//! Proofs that a form came from a page of the dashboard. Each is made for the principal that sends
//! the form.

use queue_http::{ReceiptKeys, Seal};
use std::{fmt::Write, sync::Arc};

/// What the proofs are for, so that no receipt is one.
const PURPOSE: &str = "dashboard form";

/// Makes and checks the proofs, which hold at every server with these keys.
#[derive(Debug)]
pub(crate) struct FormTokens(Arc<ReceiptKeys>);

impl FormTokens {
    pub(crate) fn new(keys: Arc<ReceiptKeys>) -> Self {
        Self(keys)
    }

    /// The proof for the forms of a session, or of a principal that needs none.
    pub(crate) fn make(&self, holder: &str) -> String {
        seal_text(self.0.sign(PURPOSE, &[holder.as_bytes()]))
    }

    /// Whether the proof was made for this holder.
    pub(crate) fn is_of(&self, holder: &str, proof: &str) -> bool {
        parse_seal(proof).is_some_and(|seal| self.0.verify(PURPOSE, &[holder.as_bytes()], seal))
    }
}

/// A seal in 40 hexadecimal digits.
pub(super) fn seal_text(Seal { tag, key }: Seal) -> String {
    let mut text = format!("{key:08x}");
    for byte in tag {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The seal of such a text; there is one text of each seal.
pub(super) fn parse_seal(text: &str) -> Option<Seal> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 40 || !text.bytes().all(is_digit) {
        return None;
    }
    let key = u32::from_str_radix(&text[..8], 16).ok()?;
    let mut tag = [0; 16];
    for (place, byte) in tag.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[8 + 2 * place..10 + 2 * place], 16).ok()?;
    }
    Some(Seal { key, tag })
}

#[cfg(test)]
mod tests {
    use super::{FormTokens, ReceiptKeys};
    use queue_core::SeededRng;

    fn forms_of(seed: u64) -> FormTokens {
        FormTokens::new(ReceiptKeys::generate(&SeededRng::new(seed)).into())
    }

    #[test]
    fn a_proof_is_good_for_its_holder_alone() {
        let forms = forms_of(1);
        let proof = forms.make("ada");
        assert!(forms.is_of("ada", &proof));
        assert!(!forms.is_of("bob", &proof));
        assert!(!forms_of(2).is_of("ada", &proof));
        for spoiled in ["", "x", &proof[1..], &proof.replace('0', "1"), &"é".repeat(20), &format!("{proof}0")]
        {
            assert!(spoiled == proof || !forms.is_of("ada", spoiled), "{spoiled}");
        }
    }
}
