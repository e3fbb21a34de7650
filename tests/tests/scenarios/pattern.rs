//! The patterns of scenarios; `clients/spec/README.md` lists them.

use serde_json::{Map, Value};

pub(crate) type Names = Map<String, Value>;

/// Replaces `$ref` and `$repeat` by what they stand for.
pub(crate) fn filled(value: &Value, names: &Names) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| filled(item, names)).collect(),
        Value::Object(fields) => match single(fields) {
            Some(("$ref", name)) => names[name.as_str().expect("a name")].clone(),
            Some(("$repeat", of)) => Value::String(repeated(of)),
            _ => {
                Value::Object(fields.iter().map(|(name, item)| (name.clone(), filled(item, names))).collect())
            }
        },
        other => other.clone(),
    }
}

/// Where a value does not match, in words.
pub(crate) fn check(pattern: &Value, actual: &Value, names: &mut Names) -> Result<(), String> {
    differs(pattern, actual, names, "it").map_or(Ok(()), Err)
}

fn differs(pattern: &Value, actual: &Value, names: &mut Names, at: &str) -> Option<String> {
    match pattern {
        Value::Object(fields) => match single(fields) {
            Some((name, of)) if name.starts_with('$') => (!special(name, of, actual, names))
                .then(|| format!("{at}: {} does not match {pattern}", short(actual))),
            _ => fields.iter().find_map(|(name, field)| {
                let found = actual.get(name).unwrap_or(&Value::Null);
                differs(field, found, names, &format!("{at}.{name}"))
            }),
        },
        Value::Array(items) => match actual.as_array() {
            Some(found) if found.len() == items.len() => {
                let mut pairs = items.iter().zip(found).enumerate();
                pairs
                    .find_map(|(place, (item, found))| differs(item, found, names, &format!("{at}[{place}]")))
            }
            _ => Some(format!("{at}: {} in place of {} items", short(actual), items.len())),
        },
        _ => (pattern != actual).then(|| format!("{at}: {} in place of {pattern}", short(actual))),
    }
}

fn special(name: &str, of: &Value, actual: &Value, names: &mut Names) -> bool {
    match name {
        "$set" => {
            names.insert(of.as_str().expect("a name").to_owned(), actual.clone());
            !actual.is_null()
        }
        "$ref" => names.get(of.as_str().expect("a name")) == Some(actual),
        "$not" => !actual.is_null() && differs(of, actual, names, "").is_some(),
        "$any" => !actual.is_null(),
        "$absent" => actual.is_null(),
        "$one_of" => {
            of.as_array().expect("a list").iter().any(|one| differs(one, actual, names, "").is_none())
        }
        "$like" => actual.as_str().is_some_and(|text| like(of.as_str().expect("a regex"), text)),
        "$repeat" => actual.as_str() == Some(&repeated(of)),
        other => panic!("there is no pattern {other}"),
    }
}

/// The few forms of regular expressions that the file has: literal text, escapes, classes of
/// characters, `.`, `+`, `*`, `?` and a count.
fn like(regex: &str, text: &str) -> bool {
    let pattern: Vec<char> = regex.chars().collect();
    let text: Vec<char> = text.chars().collect();
    matches(&pattern, &text)
}

fn matches(pattern: &[char], text: &[char]) -> bool {
    let Some((one, rest)) = atom(pattern) else { return text.is_empty() };
    let (least, most, rest) = count(rest);
    let fitting = text.iter().take(most).take_while(|found| one.has(**found)).count();
    (least..=fitting).rev().any(|taken| matches(rest, &text[taken..]))
}

enum Atom {
    Any,
    Just(char),
    Of(Vec<(char, char)>),
}

impl Atom {
    fn has(&self, found: char) -> bool {
        match self {
            Self::Any => true,
            Self::Just(one) => *one == found,
            Self::Of(ranges) => ranges.iter().any(|(from, to)| (*from..=*to).contains(&found)),
        }
    }
}

fn atom(pattern: &[char]) -> Option<(Atom, &[char])> {
    match pattern {
        [] => None,
        ['.', rest @ ..] => Some((Atom::Any, rest)),
        ['[', rest @ ..] => {
            let end = rest.iter().position(|one| *one == ']').expect("a class ends");
            let mut ranges = Vec::new();
            let mut class = &rest[..end];
            while let Some((from, left)) = class.split_first() {
                if let ['-', to, left @ ..] = left {
                    ranges.push((*from, *to));
                    class = left;
                } else {
                    ranges.push((*from, *from));
                    class = left;
                }
            }
            Some((Atom::Of(ranges), &rest[end + 1..]))
        }
        ['\\', one, rest @ ..] | [one, rest @ ..] => Some((Atom::Just(*one), rest)),
    }
}

fn count(pattern: &[char]) -> (usize, usize, &[char]) {
    match pattern {
        ['+', rest @ ..] => (1, usize::MAX, rest),
        ['*', rest @ ..] => (0, usize::MAX, rest),
        ['?', rest @ ..] => (0, 1, rest),
        ['{', rest @ ..] => {
            let end = rest.iter().position(|one| *one == '}').expect("a count ends");
            let times = rest[..end].iter().collect::<String>().parse().expect("a number");
            (times, times, &rest[end + 1..])
        }
        rest => (1, 1, rest),
    }
}

fn repeated(of: &Value) -> String {
    let times = usize::try_from(of[1].as_u64().expect("a number")).expect("it fits");
    of[0].as_str().expect("a text").repeat(times)
}

fn single(fields: &Map<String, Value>) -> Option<(&str, &Value)> {
    let (name, value) = fields.iter().next()?;
    (fields.len() == 1).then_some((name.as_str(), value))
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}

#[test]
fn the_forms_of_the_file_match_as_regular_expressions_do() {
    for (regex, text, fits) in [
        ("[0-9a-f]{32}", "0123456789abcdef0123456789abcdef", true),
        ("[0-9a-f]{32}", "0123", false),
        (".+", "", false),
        ("mail/%2F\\?# [0-9]+", "mail/%2F?# 71", true),
        ("often@.*Z", "often@2026-01-01T00:00:00Z", true),
        ("\\{\"a\": ?1\\}", "{\"a\":1}", true),
        ("often@.*Z", "often@2026", false),
    ] {
        assert_eq!(like(regex, text), fits, "{regex} {text}");
    }
}
