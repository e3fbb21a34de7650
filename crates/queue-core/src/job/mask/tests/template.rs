//! A text with places for secrets: `{A20}` is twenty letters and digits, `{P}` a password, and `¶`
//! a new line.

use crate::Rng;

/// Parts of a secret this long are a leak.
const LEAK: usize = 5;
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A template with made-up secrets in its places.
pub(super) struct Template {
    pub(super) text: String,
    secrets: Vec<String>,
}

impl Template {
    pub(super) fn filled(template: &str, rng: &dyn Rng) -> Self {
        let mut filled = Self { text: String::new(), secrets: Vec::new() };
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('{') {
            filled.text.push_str(before);
            let known = behind.split_once('}').and_then(|(place, rest)| Some((secret(place, rng)?, rest)));
            if let Some((secret, behind_it)) = known {
                filled.text.push_str(&secret);
                filled.secrets.push(secret);
                rest = behind_it;
            } else {
                filled.text.push('{');
                rest = behind;
            }
        }
        filled.text.push_str(rest);
        filled.text = filled.text.replace('¶', "\n");
        filled
    }

    /// Whether a part of a secret is left in the masked text.
    pub(super) fn leaks_in(&self, masked: &str) -> bool {
        let parts =
            self.secrets.iter().flat_map(|secret| (LEAK..=secret.len()).map(|end| &secret[end - LEAK..end]));
        assert!(!self.secrets.is_empty(), "{} has no place for a secret", self.text);
        parts.into_iter().any(|part| masked.contains(part))
    }
}

/// A secret for a place, if it is one: an alphabet, and how many characters of it.
fn secret(place: &str, rng: &dyn Rng) -> Option<String> {
    let (alphabet, others) = match place.chars().next()? {
        'A' => (LETTERS, ""),
        'B' => (LETTERS, "-_"),
        'U' => (&LETTERS[..26], "234567"),
        'b' => (LETTERS, "+/"),
        'd' => (&LETTERS[52..], ""),
        'h' => (&LETTERS[52..], "abcdef"),
        'P' if place == "P" => return Some(drawn(8, LETTERS, "!$^*-+_~", rng) + &drawn(3, LETTERS, "", rng)),
        _ => return None,
    };
    Some(drawn(place[1..].parse().ok()?, alphabet, others, rng))
}

fn drawn(len: usize, alphabet: &str, others: &str, rng: &dyn Rng) -> String {
    let all: Vec<char> = alphabet.chars().chain(others.chars()).collect();
    (0..len).map(|_| all[rng.next_u64() as usize % all.len()]).collect()
}
