//! What stands in for certificates in a build that encrypts nothing.

use super::CertificateFiles;
use redis::{ConnectionInfo, RedisError, RedisResult, sentinel::SentinelClientBuilder};

#[derive(Debug)]
pub(crate) struct LoadedCertificates;

impl LoadedCertificates {
    #[expect(clippy::unused_async, reason = "the other build reads files")]
    pub(crate) async fn read(_files: &CertificateFiles) -> RedisResult<Self> {
        Ok(Self)
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the other build parses them")]
    pub(crate) fn on(&self, info: &ConnectionInfo) -> RedisResult<ConnectionInfo> {
        Ok(info.clone())
    }

    #[expect(clippy::unused_self, reason = "the other build has some")]
    pub(crate) fn on_sentinels(&self, builder: SentinelClientBuilder) -> SentinelClientBuilder {
        builder
    }
}

pub(crate) fn verdict(_error: &RedisError) -> Option<String> {
    None
}
