//! Texts with places in braces, filled in one pass: what is put in is never looked at again, under
//! any name.

/// The filling of a place.
pub(crate) enum Filling<'a> {
    /// A text with places of its own.
    Template(&'static str),
    /// A text as it is.
    Text(&'a str),
}

/// Fills every place by its name.
///
/// # Panics
/// If a place has no filling or no end, which is a bug in the text.
pub(crate) fn fill<'a>(text: &str, filling: &impl Fn(&str) -> Option<Filling<'a>>) -> String {
    let mut filled = String::with_capacity(text.len());
    fill_into(&mut filled, text, filling);
    filled
}

fn fill_into<'a>(filled: &mut String, text: &str, filling: &impl Fn(&str) -> Option<Filling<'a>>) {
    let mut parts = text.split('{');
    filled.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let place = part.split_once('}').and_then(|(name, rest)| Some((filling(name)?, rest)));
        let (value, rest) = place.unwrap_or_else(|| panic!("nothing stands for {{{part}, which is a bug"));
        match value {
            Filling::Template(template) => fill_into(filled, template, filling),
            Filling::Text(value) => filled.push_str(value),
        }
        filled.push_str(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::{Filling, fill};

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let filled = fill("{outer} of {name}.", &|place| match place {
            "outer" => Some(Filling::Template("<{name}>")),
            "name" => Some(Filling::Text("{outer}{name}{")),
            _ => None,
        });
        assert_eq!(filled, "<{outer}{name}{> of {outer}{name}{.");
    }

    #[test]
    #[should_panic(expected = "which is a bug")]
    fn a_place_that_nothing_stands_for_is_a_bug() {
        fill("a {b} c", &|_| None);
    }
}
