//! Proofs that a form came from a page of the dashboard, made for whoever sends it.

use queue_core::Rng;
use queue_http::{ReceiptKeys, Seal};
use std::fmt::Write;

/// What the proofs are for, so that no receipt is one.
const PURPOSE: &str = "dashboard form";

/// Makes and checks the proofs, which end with the process.
#[derive(Debug)]
pub(crate) struct FormTokens(ReceiptKeys);

impl FormTokens {
    pub(crate) fn generate(rng: &dyn Rng) -> Self {
        Self(ReceiptKeys::generate(rng))
    }

    /// The proof for the forms of a session, or of a principal that needs none.
    pub(crate) fn make(&self, holder: &str) -> String {
        let Seal { tag, key } = self.0.sign(PURPOSE, &[holder.as_bytes()]);
        let mut text = format!("{key:08x}");
        for byte in tag {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Whether the proof was made for this holder.
    pub(crate) fn is_of(&self, holder: &str, proof: &str) -> bool {
        parse(proof).is_some_and(|seal| self.0.verify(PURPOSE, &[holder.as_bytes()], seal))
    }
}

fn parse(text: &str) -> Option<Seal> {
    if text.len() != 40 || !text.is_ascii() {
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
    use super::FormTokens;
    use queue_core::SeededRng;

    #[test]
    fn a_proof_is_good_for_its_holder_alone() {
        let forms = FormTokens::generate(&SeededRng::new(1));
        let proof = forms.make("ada");
        assert!(forms.is_of("ada", &proof));
        assert!(!forms.is_of("bob", &proof));
        assert!(!FormTokens::generate(&SeededRng::new(2)).is_of("ada", &proof));
        for spoiled in ["", "x", &proof[1..], &proof.replace('0', "1"), &"é".repeat(20), &format!("{proof}0")]
        {
            assert!(spoiled == proof || !forms.is_of("ada", spoiled), "{spoiled}");
        }
    }
}
