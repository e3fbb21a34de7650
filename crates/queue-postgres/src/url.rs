//! The URL of a database: what the driver takes, and the options of the store, of which it knows
//! nothing.

mod base;
mod options;

use crate::error::place;
use base::Base;
use options::OWN;
use percent_encoding::percent_decode_str;
use queue_core::{Error, Result};
use queue_store::{LIMIT_OPTIONS, UNENCODED_LOGIN, is_login_unencoded};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use std::{fmt, str::FromStr};

/// How the URL begins.
const SCHEMES: [&str; 2] = ["postgres:", "postgresql:"];
/// The driver's parameters. It passes over others with a warning, so that a slip of the pen would
/// go without encryption.
const DRIVERS: [&str; 18] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];
const AUTHORITIES: [&str; 3] = ["sslrootcert", "ssl-root-cert", "ssl-ca"];
/// The parameters that name files.
const FILES: [&str; 7] =
    ["sslrootcert", "ssl-root-cert", "ssl-ca", "sslcert", "ssl-cert", "sslkey", "ssl-key"];
/// The beginning of a certificate that stands in the URL itself.
const INLINE: &str = "-----BEGIN";

/// The parts of a URL.
#[derive(Clone)]
pub(crate) struct DatabaseUrl {
    pub(crate) connect: PgConnectOptions,
    /// The options of the store.
    pub(crate) own: Vec<(String, String)>,
    pub(crate) files: Vec<NamedFile>,
}

/// A file that the driver reads for each connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedFile {
    parameter: String,
    path: String,
}

/// Hides the password, which the options of the driver would show.
impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { connect, own, files } = self;
        f.debug_struct("DatabaseUrl")
            .field("server", &place(connect))
            .field("own", own)
            .field("files", files)
            .finish_non_exhaustive()
    }
}

impl DatabaseUrl {
    /// No error repeats the URL, since it may hold a password.
    pub(crate) fn parse(url: &str) -> Result<Self> {
        if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
            return Err(invalid("the URL of the database looks like `postgres://user@host/database`"));
        }
        if is_login_unencoded(url) {
            return Err(invalid(&format!("the URL of the database cannot be read: {UNENCODED_LOGIN}")));
        }
        let UrlParts { rest, own, parameters } = UrlParts::of(url)?;
        let connect = PgConnectOptions::from_str(&rest).map_err(|_| {
            invalid("the URL of the database cannot be read; it looks like `postgres://user@host/database`")
        })?;
        let is_verified = matches!(connect.get_ssl_mode(), PgSslMode::VerifyCa | PgSslMode::VerifyFull);
        if let Some((name, _)) = parameters.iter().find(|(name, _)| AUTHORITIES.contains(&&**name))
            && !is_verified
        {
            let message = format!(
                "`{name}` is looked at only with `sslmode=verify-full` or `verify-ca`; set one of them"
            );
            return Err(invalid(&message));
        }
        let is_file =
            |(name, value): &(String, String)| FILES.contains(&&**name) && !value.starts_with(INLINE);
        let files = parameters.into_iter().filter(is_file);
        let files = files.map(|(parameter, path)| NamedFile { parameter, path }).collect();
        Ok(Self { connect, own, files })
    }
}

impl NamedFile {
    /// Refuses one that cannot be read: the driver would not say which it is.
    pub(crate) async fn check(&self) -> Result<()> {
        let Self { parameter, path } = self;
        let opened = tokio::fs::File::open(path).await;
        opened
            .map(drop)
            .map_err(|error| invalid(&format!("`{parameter}={path}`: {error}")).with_source(error))
    }
}

/// The URL without the options of the store, these, and the parameters of the driver.
struct UrlParts {
    rest: String,
    own: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
}

impl UrlParts {
    fn of(url: &str) -> Result<Self> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let Base { url: rest, parameters: of_base } = Base::of(base);
        let mut parts = Self { rest, own: Vec::new(), parameters: Vec::new() };
        for part in &of_base {
            parts.push(part);
        }
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let name = decoded(name)?;
            if is_own(&name) {
                if parts.own.iter().any(|(earlier, _)| *earlier == name) {
                    return Err(invalid(&format!("the parameter `{name}` stands twice")));
                }
                parts.own.push((name, decoded(value)?));
                continue;
            }
            // The driver takes a plus for a space.
            let value = decoded(&value.replace('+', " "))?;
            check_parameter(&name, &value)?;
            parts.push(part);
            parts.parameters.push((name, value));
        }
        Ok(parts)
    }

    /// Adds a parameter of the driver. The later of two of one name counts.
    fn push(&mut self, part: &str) {
        self.rest.push(if self.rest.contains('?') { '&' } else { '?' });
        self.rest.push_str(part);
    }
}

fn is_own(name: &str) -> bool {
    OWN.contains(&name) || LIMIT_OPTIONS.contains(&name)
}

fn check_parameter(name: &str, value: &str) -> Result<()> {
    let is_setting = name.starts_with("options[") && name.ends_with(']');
    if !is_setting && !DRIVERS.contains(&name) {
        let (own, limits) = (OWN.join(", "), LIMIT_OPTIONS.join(", "));
        let known = format!("{own}, {limits}; of the driver options[name], {}", DRIVERS.join(", "));
        return Err(invalid(&format!("`postgres:` has no parameter `{name}`; it has {known}")));
    }
    if matches!(name, "sslmode" | "ssl-mode") && PgSslMode::from_str(value).is_err() {
        let modes = "disable, allow, prefer, require, verify-ca or verify-full";
        return Err(invalid(&format!("`{name}` is {modes}")));
    }
    Ok(())
}

fn decoded(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(String::from).map_err(|_| invalid("the parameters of the URL are UTF-8"))
}

fn invalid(message: &str) -> Error {
    Error::invalid("open", message)
}

#[cfg(test)]
mod tests {
    use super::{DatabaseUrl, UrlParts};

    fn split(url: &str) -> (String, Option<String>) {
        let parts = UrlParts::of(url).expect("readable");
        let schema = parts.own.into_iter().find(|(name, _)| name == "schema").map(|(_, value)| value);
        (parts.rest, schema)
    }

    #[test]
    fn a_password_is_in_no_debug_output() {
        for url in ["postgres://app:s3cret@h/d", "postgres://app@h/d?password=s3cret"] {
            let options = crate::PostgresOptions::new(url).expect("valid");
            let shown = format!("{options:?} {:?}", DatabaseUrl::parse(url).expect("valid"));
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }

    #[test]
    fn a_url_names_the_server_as_other_clients_of_postgres_read_it() {
        for (url, host, port, socket) in [
            ("postgres://u@[::1]:5433/d", "::1", 5433, None),
            ("postgres://u@[::1]:5433/d?application_name=x", "::1", 5433, None),
            ("postgres://u@h:5433/d", "h", 5433, None),
            ("postgres://u@:5433/d?host=h", "h", 5433, None),
            ("postgres://u@/d?host=/run/pg&port=5433", "", 5433, Some("/run/pg")),
            ("postgres://u@%2Frun%2Fpg:5433/d", "", 5433, Some("/run/pg")),
        ] {
            let connect = DatabaseUrl::parse(url).expect(url).connect;
            assert_eq!((connect.get_username(), connect.get_database()), ("u", Some("d")), "{url}");
            assert_eq!(connect.get_port(), port, "{url}");
            assert_eq!(connect.get_socket().and_then(|path| path.to_str()), socket, "{url}");
            assert!(socket.is_some() || connect.get_host() == host, "{url}");
        }
    }

    #[test]
    fn without_a_user_it_is_the_one_of_the_system() {
        let connect = DatabaseUrl::parse("postgres://h/d").expect("valid").connect;
        let user = connect.get_username();
        assert!(!matches!(user, "anonymous" | "unknown"), "{user}");
    }

    #[test]
    fn a_password_that_is_not_encoded_is_refused_and_not_shown() {
        for url in ["postgres://u:s#cret@h/d", "postgres://u:s/cret@h/d", "postgres://u:s?cret@h/d"] {
            let message = refusal(url);
            assert!(message.contains("%23") && !message.contains("cret"), "{message}");
        }
    }

    fn refusal(url: &str) -> String {
        DatabaseUrl::parse(url).expect_err(url).message().to_owned()
    }

    #[test]
    fn the_schema_is_taken_from_the_url_and_the_rest_is_left() {
        assert_eq!(split("postgres://h/d"), ("postgres://h/d".to_owned(), None));
        assert_eq!(
            split("postgres://h/d?sslmode=disable&schema=my%20jobs&user=x"),
            ("postgres://h/d?sslmode=disable&user=x".to_owned(), Some("my jobs".to_owned()))
        );
        assert_eq!(split("postgres://h/d?schema=a"), ("postgres://h/d".to_owned(), Some("a".to_owned())));
        assert!(UrlParts::of("postgres://h/d?schema=a&schema=b").is_err());
        assert!(UrlParts::of("postgres://h/d?schema=%FF").is_err());
    }

    #[test]
    fn an_unknown_parameter_is_refused_with_the_known_ones() {
        let message = refusal("postgres://h/d?sslmod=verify-full");
        assert!(message.contains("`sslmod`") && message.contains("sslmode"), "{message}");
        let message = refusal("postgres://u:secret@h/d?sslmode=verify_full");
        assert!(message.contains("verify-full") && !message.contains("secret"), "{message}");
        assert!(DatabaseUrl::parse("postgres://h/d?options[search_path]=x&application_name=y").is_ok());
    }

    /// It would be trusted to check what is never looked at.
    #[test]
    fn an_authority_without_verification_is_refused() {
        for mode in ["", "sslmode=prefer&", "sslmode=require&"] {
            let message = refusal(&format!("postgres://h/d?{mode}sslrootcert=/ca.pem"));
            assert!(message.contains("verify-full"), "{message}");
        }
        let url = DatabaseUrl::parse("postgres://h/d?sslmode=verify-full&sslrootcert=/c%20a.pem")
            .expect("it is fine");
        assert_eq!(url.files[0].path, "/c a.pem");
    }
}
