//! Words of other job queues, and those that this command has in their place.

use clap::error::{ContextKind, ContextValue};

const COMMANDS: [(&str, &str); 6] = [
    ("retry", "redrive"),
    ("requeue", "redrive"),
    ("push", "enqueue"),
    ("add", "enqueue"),
    ("worker", "work"),
    ("rm", "delete"),
];
const STATES: [(&str, &str); 6] = [
    ("dead", "failed"),
    ("discarded", "failed"),
    ("retry", "failing"),
    ("running", "processing"),
    ("active", "processing"),
    ("done", "completed"),
];

/// Adds the word of this command to an error about a word that it does not have.
pub(crate) fn suggest(error: &mut clap::Error) {
    let places = [
        (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand, COMMANDS),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue, STATES),
    ];
    for (wrong, right, words) in places {
        let Some(ContextValue::String(given)) = error.get(wrong) else { continue };
        let Some((_, word)) = words.iter().find(|(other, _)| other == given) else { continue };
        if right == ContextKind::SuggestedSubcommand {
            error.insert(right, ContextValue::Strings(vec![(*word).to_owned()]));
        } else if is_offered(error, word) {
            error.insert(right, ContextValue::String((*word).to_owned()));
        }
    }
}

/// Whether the option that has the wrong value takes this one.
fn is_offered(error: &clap::Error, word: &str) -> bool {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => values.iter().any(|value| value == word),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn words_of_other_queues_lead_to_those_of_this_one() {
        for (arguments, tip) in [
            (&["queue", "retry", "a"][..], "'redrive'"),
            (&["queue", "list", "--state", "dead"], "'failed'"),
            (&["queue", "list", "--state", "running"], "'processing'"),
        ] {
            let mut error = crate::help::command().try_get_matches_from(arguments).unwrap_err();
            suggest(&mut error);
            let words = error.to_string();
            assert!(words.contains("tip: ") && words.contains(tip), "{words}");
        }
    }
}
