//! The token by which a handle proves who it is.

use http::HeaderValue;
use parking_lot::Mutex;
use queue_core::{Error, Result};
use std::path::{Path, PathBuf};

/// The most bytes of a file that is read as a token.
const TOKEN_BYTES_MAX: usize = 4096;

/// A token in a file, as it was when it was last read.
#[derive(Debug)]
pub(crate) struct TokenFile {
    file: PathBuf,
    header: Mutex<HeaderValue>,
}

impl TokenFile {
    pub(crate) async fn read(file: PathBuf) -> Result<Self> {
        let header = Mutex::new(header(&file).await?);
        Ok(Self { file, header })
    }

    /// The value of the header `authorization`.
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.lock().clone()
    }

    /// Reads the file again. Answers whether another token stands in it than the one refused.
    pub(crate) async fn renew(&self, refused: &HeaderValue) -> bool {
        if let Ok(read) = header(&self.file).await {
            *self.header.lock() = read;
        }
        *self.header.lock() != *refused
    }
}

async fn header(file: &Path) -> Result<HeaderValue> {
    let unusable = |why: &str| {
        let message = format!("the token in `token-file={}` cannot be used: {why}", file.display());
        Error::invalid("open", message)
    };
    let text = tokio::fs::read_to_string(file).await.map_err(|error| unusable(&error.to_string()))?;
    let token = text.trim();
    if token.is_empty() || token.len() > TOKEN_BYTES_MAX || !token.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(unusable("a token is one word of printable ASCII"));
    }
    let mut header =
        HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| unusable("it is no text"))?;
    // It is then left out where headers are printed.
    header.set_sensitive(true);
    Ok(header)
}
