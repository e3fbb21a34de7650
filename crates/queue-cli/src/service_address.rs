//! The service that `--server` names, with the file of its token.
//!
//! `queue work` speaks the protocol `/v1` to it, which needs the scope `work` alone. Every other
//! command uses the store behind it as a remote store, which needs the scope `store`. With a token
//! without that scope, commands that enqueue, wait or look speak `/v1` too; see
//! `Session::with_jobs_or_service`.

use crate::{exit::CliError, globals::Globals, session::env_or};
use std::{
    env,
    fmt::Write as _,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Where a service is, and the file of the token for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceAddress {
    pub(crate) url: String,
    pub(crate) token_file: Option<PathBuf>,
}

impl ServiceAddress {
    /// The service of the arguments or the environment; `None` if they name none.
    pub(crate) fn of(globals: &Globals) -> Result<Option<Self>, CliError> {
        let url = match (&globals.server, &globals.store) {
            (Some(url), _) => url.clone(),
            (None, Some(_)) => String::new(),
            (None, None) => env_or("QUEUE_SERVER", "")?,
        };
        if url.is_empty() {
            return match &globals.token_file {
                Some(_) => Err(CliError::invalid("--token-file is the token for --server: name that too")),
                None => Ok(None),
            };
        }
        if !url.contains("://") && !url.starts_with("http+unix:") {
            let message = format!("--server is a URL, such as http://{url} or https://HOST:8443");
            return Err(CliError::invalid(message));
        }
        if globals.server.is_none() && !env_or("QUEUE_STORE", "")?.is_empty() {
            let message = "QUEUE_STORE and QUEUE_SERVER are both set; unset one, or say --store or --server";
            return Err(CliError::invalid(message));
        }
        let of_environment =
            || env::var_os("QUEUE_TOKEN_FILE").filter(|file| !file.is_empty()).map(PathBuf::from);
        let token_file = globals.token_file.clone().or_else(of_environment);
        if token_file.as_deref().is_some_and(|file| file.to_str().is_none()) {
            return Err(CliError::invalid("the path of a token file is UTF-8"));
        }
        Ok(Some(Self { url, token_file }))
    }

    /// What is wrong with the rights of the token's file: a reader of it can do what the token
    /// allows.
    pub(crate) fn exposure(&self) -> Option<String> {
        let file = self.token_file.as_ref()?;
        let mode = fs::metadata(file).ok()?.permissions().mode() & 0o777;
        let words = |file: &Path| {
            format!(
                "the token file {0} has the mode {mode:03o}, so others can read it: chmod 600 {0}",
                file.display()
            )
        };
        (mode & 0o007 != 0).then(|| words(file))
    }

    /// The URL of the remote store behind the service.
    pub(crate) fn store_url(&self) -> String {
        match &self.token_file {
            None => self.url.clone(),
            Some(file) => {
                let separator = if self.url.contains('?') { '&' } else { '?' };
                format!("{}{separator}token-file={}", self.url, escaped(file))
            }
        }
    }
}

/// A path as the value of an option of a URL.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("text has room");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::ServiceAddress;

    #[test]
    fn the_file_of_the_token_is_an_option_of_the_stores_url() {
        let url = |url: &str, file: Option<&str>| {
            let address = ServiceAddress { url: url.to_owned(), token_file: file.map(Into::into) };
            address.store_url()
        };
        assert_eq!(url("http://a", None), "http://a");
        assert_eq!(url("http://a", Some("/run/a token?&")), "http://a?token-file=/run/a%20token%3F%26");
        assert_eq!(url("http://a?cleartext=allow", Some("é")), "http://a?cleartext=allow&token-file=%C3%A9");
    }
}
