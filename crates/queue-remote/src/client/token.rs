//! The token by which a handle proves who it is.

use http::HeaderValue;
use parking_lot::Mutex;
use queue_core::{Error, Result};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The most bytes of a file that is read as a token.
const TOKEN_BYTES_MAX: usize = 4096;

/// Where a token comes from.
#[derive(Clone)]
pub(crate) enum TokenSource {
    None,
    File(PathBuf),
    Text(String),
}

/// A token, as it was when it was last read.
#[derive(Debug)]
pub(crate) struct Token {
    file: Option<PathBuf>,
    header: Mutex<HeaderValue>,
}

impl TokenSource {
    pub(crate) fn is_some(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A token is never shown.
impl fmt::Debug for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::File(file) => write!(f, "File({})", file.display()),
            Self::Text(_) => f.write_str("Text(..)"),
        }
    }
}

impl Token {
    pub(crate) async fn read(source: TokenSource) -> Result<Option<Self>> {
        let (file, header) = match source {
            TokenSource::None => return Ok(None),
            TokenSource::File(file) => {
                let header = header_of_file(&file).await?;
                (Some(file), header)
            }
            TokenSource::Text(token) => (None, header(&token).map_err(|why| unusable("the token", why))?),
        };
        Ok(Some(Self { file, header: Mutex::new(header) }))
    }

    /// The value of the header `authorization`.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.lock().clone()
    }

    /// The file that it comes from, if it does.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Reads the file again. Answers whether another token stands in it than the one refused.
    pub(crate) async fn renew(&self, refused: &HeaderValue) -> bool {
        if let Some(file) = &self.file
            && let Ok(read) = header_of_file(file).await
        {
            *self.header.lock() = read;
        }
        *self.header.lock() != *refused
    }
}

async fn header_of_file(file: &Path) -> Result<HeaderValue> {
    let name = || format!("the token in `token-file={}`", file.display());
    let text =
        tokio::fs::read_to_string(file).await.map_err(|error| unusable(&name(), &error.to_string()))?;
    header(&text).map_err(|why| unusable(&name(), why))
}

fn header(text: &str) -> Result<HeaderValue, &'static str> {
    let token = text.trim();
    if token.is_empty() {
        return Err("the file is empty");
    }
    if token.len() > TOKEN_BYTES_MAX || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("a token is one word of printable ASCII");
    }
    let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| "it is no text")?;
    // It is then left out where headers are printed.
    header.set_sensitive(true);
    Ok(header)
}

fn unusable(token: &str, why: &str) -> Error {
    Error::invalid("open", format!("{token} cannot be used: {why}"))
}
