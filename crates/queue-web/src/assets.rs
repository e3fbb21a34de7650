//! The files of the dashboard, which are part of the program. Their names contain a hash of what
//! they hold, so that browsers keep them for good.

use crate::answer::{self, Answer};
use bytes::Bytes;
use http::{
    HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use sha2::{Digest, Sha256};
use std::{fmt::Write, sync::LazyLock};

/// One file.
struct Asset {
    /// Such as `assets-style-0123456789abcdef.css`.
    name: String,
    media_type: &'static str,
    bytes: &'static [u8],
}

/// How the names begin. They have no directory, as no page has one.
const PREFIX: &str = "assets-";

static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("style", "css", "text/css; charset=utf-8", include_bytes!("../assets/style.css"))
});
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("live", "js", "text/javascript; charset=utf-8", include_bytes!("../assets/live.js"))
});
static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_bytes!("../assets/icon.svg")));

/// The name of the style sheet.
pub(crate) fn style() -> &'static str {
    &STYLE.name
}

/// The name of the script.
pub(crate) fn script() -> &'static str {
    &SCRIPT.name
}

/// The name of the icon.
pub(crate) fn icon() -> &'static str {
    &ICON.name
}

/// The file of this path.
pub(crate) fn find(path: &str) -> Option<Answer> {
    let name = path.strip_prefix('/').filter(|name| name.starts_with(PREFIX))?;
    let asset = [&*STYLE, &*SCRIPT, &*ICON].into_iter().find(|asset| asset.name == name)?;
    let mut answer = answer::of(StatusCode::OK, Bytes::from_static(asset.bytes));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    Some(answer)
}

impl Asset {
    fn new(stem: &str, ending: &str, media_type: &'static str, bytes: &'static [u8]) -> Self {
        let mut hash = String::new();
        for byte in &Sha256::digest(bytes)[..8] {
            let _ = write!(hash, "{byte:02x}");
        }
        Self { name: format!("{PREFIX}{stem}-{hash}.{ending}"), media_type, bytes }
    }
}
