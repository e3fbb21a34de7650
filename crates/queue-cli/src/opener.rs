//! How the command opens the store that a URL names.

use queue::Storage;
use std::{fmt, pin::Pin, sync::Arc};

type Opening = Pin<Box<dyn Future<Output = queue::Result<Arc<dyn Storage>>> + Send>>;

/// Opens stores as the library does, unless the program that runs the command knows more schemes.
#[derive(Clone)]
pub(crate) struct Opener(Arc<dyn Fn(String) -> Opening + Send + Sync>);

impl Opener {
    pub(crate) fn new<F>(open: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = queue::Result<Arc<dyn Storage>>> + Send + 'static,
    {
        Self(Arc::new(move |url| Box::pin(open(url))))
    }

    pub(crate) async fn open(&self, url: &str) -> queue::Result<Arc<dyn Storage>> {
        (self.0)(url.to_owned()).await
    }
}

impl Default for Opener {
    fn default() -> Self {
        Self::new(|url: String| async move { queue::open(&url).await })
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").finish_non_exhaustive()
    }
}
