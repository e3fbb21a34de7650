//! The part of a URL that names the user and the server, brought into a form that the driver reads.

/// What stands before the parameters of a URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// The URL without its parameters.
    pub(super) url: String,
    /// What of it the driver takes only as a parameter.
    pub(super) parameters: Vec<String>,
}

impl Base {
    /// The driver looks an IPv6 address up with its brackets, as a name, and refuses a user without
    /// a host, although the host may be a parameter or come from the environment.
    pub(super) fn of(base: &str) -> Self {
        let unchanged = || Self { url: base.to_owned(), parameters: Vec::new() };
        let Some((scheme, rest)) = base.split_once("://") else { return unchanged() };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (login, server) = authority.rsplit_once('@').unwrap_or(("", authority));
        if let Some((address, _)) = server.strip_prefix('[').and_then(|server| server.split_once(']')) {
            return Self { parameters: vec![format!("host={address}")], ..unchanged() };
        }
        let port = server.strip_prefix(':');
        if authority.is_empty() || !(server.is_empty() || port.is_some()) {
            return unchanged();
        }
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (login, None),
        };
        let given = [("user", Some(user)), ("password", password), ("port", port)];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let parameters = given.filter(|(_, value)| !value.is_empty()).map(parameter).collect();
        Self { url: format!("{scheme}://{path}"), parameters }
    }
}

/// A value that is percent-encoded as in a login, where a plus is one and an ampersand ends
/// nothing.
fn parameter((name, value): (&str, &str)) -> String {
    format!("{name}={}", value.replace('+', "%2B").replace('&', "%26"))
}

#[cfg(test)]
mod tests {
    use super::Base;

    fn base(url: &str) -> (String, String) {
        let Base { url, parameters } = Base::of(url);
        (url, parameters.join(" "))
    }

    #[test]
    fn a_base_that_the_driver_reads_stays_as_it_is() {
        for url in
            ["postgres://u:p@h:5432/d", "postgres:///d", "postgres:", "postgres://h", "postgres://%2Frun/d"]
        {
            assert_eq!(base(url), (url.to_owned(), String::new()));
        }
    }

    #[test]
    fn an_address_loses_its_brackets_and_a_missing_host_makes_parameters() {
        for (given, url, parameters) in [
            ("postgres://u@[::1]:5432/d", "postgres://u@[::1]:5432/d", "host=::1"),
            ("postgres://[fe80::1]", "postgres://[fe80::1]", "host=fe80::1"),
            ("postgres://u@/d", "postgres:///d", "user=u"),
            ("postgres://u:p+%40&@/d", "postgres:///d", "user=u password=p%2B%40%26"),
            ("postgres://u@:5433/d", "postgres:///d", "user=u port=5433"),
            ("postgres://u@", "postgres://", "user=u"),
        ] {
            assert_eq!(base(given), (url.to_owned(), parameters.to_owned()), "{given}");
        }
    }
}
