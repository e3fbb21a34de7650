//! The URL of a server, of a Cluster or of Sentinels.

mod options;
mod unix;

use crate::{
    endpoint::Endpoint,
    tls::{self, CertificateFiles},
};
use queue_core::{Error, Result};
use queue_store::{UNENCODED_LOGIN, is_login_unencoded, url_options};
use redis::{Client, ConnectionInfo, IntoConnectionInfo, ProtocolVersion, RedisConnectionInfo};

/// What a URL says.
#[derive(Debug)]
pub(crate) struct RedisUrl {
    pub(crate) endpoint: Endpoint,
    pub(crate) certificates: CertificateFiles,
    /// The options that are not about the place.
    pub(crate) options: Vec<(String, String)>,
}

/// A URL in its parts, before anything in it is decoded.
struct UrlParts<'a> {
    tls: bool,
    login: Option<&'a str>,
    hosts: Vec<&'a str>,
    path: &'a str,
    query: Vec<(String, String)>,
}

/// How to log in to Sentinels, where that is not how to log in to the servers. An empty name or
/// password is none.
struct SentinelLogin {
    user: Option<String>,
    password: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EndpointKind {
    Single,
    Cluster,
    Sentinel,
}

impl RedisUrl {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        if let Some(place) = unix::path(url) {
            return unix::parse(place);
        }
        if is_login_unencoded(url) {
            return Err(Error::invalid("open", format!("the URL cannot be read: {UNENCODED_LOGIN}")));
        }
        let (scheme, rest) = url.split_once("://").ok_or_else(malformed)?;
        let (mut kind, tls) = match scheme {
            "redis" => (EndpointKind::Single, false),
            "rediss" => (EndpointKind::Single, true),
            "redis+cluster" => (EndpointKind::Cluster, false),
            "rediss+cluster" => (EndpointKind::Cluster, true),
            "redis+sentinel" => (EndpointKind::Sentinel, false),
            "rediss+sentinel" => (EndpointKind::Sentinel, true),
            _ => return Err(malformed()),
        };
        let mut parts = parts(tls, rest)?;
        if parts.take("cluster").is_some_and(|value| value == "true") {
            kind = EndpointKind::Cluster;
        }
        let certificates = CertificateFiles::new(
            tls,
            parts.take(tls::AUTHORITY),
            parts.take(tls::CERTIFICATE),
            parts.take(tls::KEY),
        )?;
        let endpoint = parts.endpoint(kind)?;
        Ok(Self { endpoint, certificates, options: parts.query })
    }
}

impl UrlParts<'_> {
    fn take(&mut self, key: &str) -> Option<String> {
        self.query.extract_if(.., |(known, _)| known == key).map(|(_, value)| value).next()
    }

    fn endpoint(&mut self, kind: EndpointKind) -> Result<Endpoint> {
        match kind {
            EndpointKind::Single if self.hosts.len() == 1 => {
                Ok(Endpoint::Single(self.info(self.hosts[0], self.login, self.path)?))
            }
            EndpointKind::Single => Err(malformed()),
            EndpointKind::Cluster => Ok(Endpoint::Cluster(self.infos()?)),
            EndpointKind::Sentinel => {
                let missing = || Error::invalid("open", "`redis+sentinel` needs the option `service`");
                let service =
                    self.take("service").filter(|service| !service.is_empty()).ok_or_else(missing)?;
                let master = self.info(self.hosts[0], self.login, self.path)?;
                let sentinels = match self.take_sentinel_login()? {
                    Some(login) => self.infos()?.into_iter().map(|info| login.on(info)).collect(),
                    None => self.infos()?,
                };
                Ok(Endpoint::Sentinel { sentinels, service, master })
            }
        }
    }

    fn take_sentinel_login(&mut self) -> Result<Option<SentinelLogin>> {
        let (user, password) = (self.take("sentinel_username"), self.take("sentinel_password"));
        if user.is_none() && password.is_none() {
            return Ok(None);
        }
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let (user, password) = (given(user), given(password));
        if user.is_some() && password.is_none() {
            return Err(Error::invalid("open", "`sentinel_username` needs `sentinel_password`"));
        }
        Ok(Some(SentinelLogin { user, password }))
    }

    /// Every host, without a database.
    fn infos(&self) -> Result<Vec<ConnectionInfo>> {
        self.hosts.iter().map(|host| self.info(host, self.login, "")).collect()
    }

    /// The library's own parser gets a plain URL, so that users, passwords and addresses mean what
    /// they mean elsewhere.
    fn info(&self, host: &str, login: Option<&str>, path: &str) -> Result<ConnectionInfo> {
        let scheme = if self.tls { "rediss" } else { "redis" };
        let login = login.map(|login| format!("{login}@")).unwrap_or_default();
        let url = format!("{scheme}://{login}{host}/{path}");
        let info = url.as_str().into_connection_info().map_err(|_| malformed())?;
        // The name of the library is not sent, since that takes a right that Redis 7.0 does not
        // know.
        let redis =
            info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3).set_skip_set_lib_name();
        let info = info.set_redis_settings(redis);
        Client::open(info.clone()).map_err(|_| malformed())?;
        Ok(info)
    }
}

impl SentinelLogin {
    fn on(&self, info: ConnectionInfo) -> ConnectionInfo {
        // Settings without a login, since a login can be replaced and not taken away.
        let mut redis =
            RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP3).set_skip_set_lib_name();
        if let Some(user) = &self.user {
            redis = redis.set_username(user);
        }
        if let Some(password) = &self.password {
            redis = redis.set_password(password);
        }
        info.set_redis_settings(redis)
    }
}

fn parts(tls: bool, rest: &str) -> Result<UrlParts<'_>> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_once('/').unwrap_or((place, ""));
    // A password may contain an `@`, and a host cannot.
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (Some(login), hosts),
        None => (None, authority),
    };
    let hosts: Vec<_> = hosts.split(',').filter(|host| !host.is_empty()).collect();
    if hosts.is_empty() {
        return Err(malformed());
    }
    Ok(UrlParts { tls, login, hosts, path, query: url_options(query)? })
}

fn malformed() -> Error {
    let advice = "a store URL looks like `redis://[user:password@]host[:port][/db]` or `redis+unix:/path/to/socket`; TLS \
                  needs the feature `tls`";
    Error::invalid("open", advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> RedisUrl {
        RedisUrl::parse(url).expect("well-formed")
    }

    #[test]
    fn users_passwords_and_databases_reach_the_library() {
        let RedisUrl { endpoint, options, .. } = parse("redis://me:p%40ss@host:7000/3?namespace=a%2Eb");
        let Endpoint::Single(info) = endpoint else { panic!("{endpoint:?}") };
        assert_eq!(info.addr().to_string(), "host:7000");
        let redis = info.redis_settings();
        assert_eq!((redis.username(), redis.password(), redis.db()), (Some("me"), Some("p@ss"), 3));
        assert_eq!(options, [("namespace".to_owned(), "a.b".to_owned())]);
    }

    #[test]
    fn a_cluster_has_several_nodes_and_two_spellings() {
        assert!(
            matches!(parse("redis+cluster://a:1,b:2").endpoint, Endpoint::Cluster(nodes) if nodes.len() == 2)
        );
        assert!(
            matches!(parse("redis://a:1?cluster=true").endpoint, Endpoint::Cluster(nodes) if nodes.len() == 1)
        );
    }

    #[test]
    fn sentinels_watch_a_service() {
        let endpoint = parse("redis+sentinel://:pw@a:1,b:2/4?service=main").endpoint;
        let Endpoint::Sentinel { sentinels, service, master } = endpoint else { panic!("{endpoint:?}") };
        assert_eq!((sentinels.len(), service.as_str(), master.redis_settings().db()), (2, "main", 4));
        assert_eq!(sentinels[0].redis_settings().password(), Some("pw"));
    }

    #[test]
    fn what_is_no_url_is_refused_and_not_repeated() {
        for url in [
            "",
            "redis:host",
            "http://host",
            "redis://",
            "redis://a,b",
            "redis://h/x?y",
            "redis+sentinel://h",
            "redis://u:secret@h/notanumber",
            "redis://h?a=1&a=2",
        ] {
            let refused = RedisUrl::parse(url).expect_err(url);
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }

    #[test]
    fn a_password_that_is_not_encoded_is_refused_and_not_shown() {
        for url in ["redis://:s#cret@h", "redis://u:s/cret@h:1/0", "redis://:s?cret@h"] {
            let refused = RedisUrl::parse(url).expect_err(url);
            assert!(refused.message().contains("%23") && !refused.message().contains("cret"), "{refused}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        assert!(!format!("{:?}", parse("redis://u:secret@h").endpoint).contains("secret"));
    }
}
