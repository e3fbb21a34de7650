//! How a browser shows the pages: a choice of its user, in a cookie that every page reads.

use super::Fields;
use http::{HeaderMap, HeaderValue, header::COOKIE};

const COOKIE_NAME: &str = "queue-look";
/// A browser keeps the choice for a year.
const LASTS_SECONDS: u32 = 365 * 86_400;

/// How a browser shows the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) theme: Theme,
    /// Times in UTC, also where a script could say them in the zone of the browser.
    pub(crate) is_utc: bool,
    /// Pages stay as they were loaded.
    pub(crate) is_still: bool,
}

/// The colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// What the system has.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in forms and in the cookie.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// What a browser takes as `color-scheme`.
    pub(crate) const fn scheme(self) -> &'static str {
        match self {
            Self::System => "light dark",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.name() == name).unwrap_or_default()
    }
}

impl Look {
    /// The choice that a request brings; the usual look without one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let found = pairs.find(|(name, _)| *name == COOKIE_NAME);
        let mut parts = found.map_or("", |(_, value)| value).split('.');
        Self {
            theme: Theme::named(parts.next().unwrap_or_default()),
            is_utc: parts.next() == Some("utc"),
            is_still: parts.next() == Some("still"),
        }
    }

    /// The choice of a form.
    pub(crate) fn chosen(form: &Fields) -> Self {
        Self {
            theme: Theme::named(form.get("theme").unwrap_or_default()),
            is_utc: form.get("times") == Some("utc"),
            is_still: form.get("refresh") == Some("off"),
        }
    }

    /// The header that gives a browser its choice.
    pub(crate) fn header(self) -> HeaderValue {
        let times = if self.is_utc { "utc" } else { "local" };
        let refresh = if self.is_still { "still" } else { "live" };
        let value = format!("{}.{times}.{refresh}", self.theme.name());
        let text =
            format!("{COOKIE_NAME}={value}; Path=/; Max-Age={LASTS_SECONDS}; HttpOnly; SameSite=Strict");
        HeaderValue::from_str(&text).expect("a choice is words and dots")
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, Look, Theme};
    use http::{HeaderMap, HeaderValue, header::COOKIE};

    fn of(line: &str) -> Look {
        Look::of(&HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(line).unwrap())]))
    }

    #[test]
    fn a_choice_comes_back_as_it_was_made_and_anything_else_is_the_usual_look() {
        let dark = Look { theme: Theme::Dark, is_utc: true, is_still: true };
        assert_eq!(Look::chosen(&Fields::parse(b"theme=dark&times=utc&refresh=off")), dark);
        let header = dark.header();
        let sent = header.to_str().unwrap().split(';').next().unwrap();
        assert_eq!(of(&format!("a=b; {sent}")), dark);
        for line in ["", "queue-look=", "queue-look=x.y.z", "queue-look", "xqueue-look=dark.utc.still"] {
            assert_eq!(of(line), Look::default(), "{line}");
        }
    }
}
