use percent_encoding::percent_decode_str;
use queue_core::{Error, Result};
use redis::{Client, ConnectionInfo, IntoConnectionInfo, ProtocolVersion};
use std::fmt;

/// Where the server is, from a URL.
#[derive(Clone)]
pub(crate) enum Endpoint {
    /// One server.
    Single(ConnectionInfo),
    /// Some nodes of a Cluster, each as it can be connected to.
    Cluster(Vec<ConnectionInfo>),
    /// Sentinels, the service that they watch, and how to log in to its master. The login is the same on all.
    Sentinel { sentinels: Vec<ConnectionInfo>, service: String, master: ConnectionInfo },
}

/// A URL in its parts, before anything in it is decoded.
struct Parts<'a> {
    tls: bool,
    login: Option<&'a str>,
    hosts: Vec<&'a str>,
    path: &'a str,
    query: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    Cluster,
    Sentinel,
}

impl Endpoint {
    /// The place that a URL names, and those of its options that are not about the place.
    pub(crate) fn parse(url: &str) -> Result<(Self, Vec<(String, String)>)> {
        let (scheme, rest) = url.split_once("://").ok_or_else(malformed)?;
        let (mut kind, tls) = match scheme {
            "redis" => (Kind::Single, false),
            "rediss" => (Kind::Single, true),
            "redis+cluster" => (Kind::Cluster, false),
            "rediss+cluster" => (Kind::Cluster, true),
            "redis+sentinel" => (Kind::Sentinel, false),
            _ => return Err(malformed()),
        };
        let mut parts = parts(tls, rest)?;
        if parts.take("cluster")?.is_some_and(|value| value == "true") {
            kind = Kind::Cluster;
        }
        let service = if kind == Kind::Sentinel { parts.take("service")? } else { None };
        let own = std::mem::take(&mut parts.query);
        Ok((parts.endpoint(kind, service)?, own))
    }
}

impl Parts<'_> {
    fn take(&mut self, key: &str) -> Result<Option<String>> {
        let mut found = self.query.extract_if(.., |(known, _)| known == key).map(|(_, value)| value);
        let value = found.next();
        if found.next().is_some() {
            return Err(Error::invalid("open", format!("the option `{key}` stands twice")));
        }
        Ok(value)
    }

    fn endpoint(&self, kind: Kind, service: Option<String>) -> Result<Endpoint> {
        let infos = |path: &str, login| {
            self.hosts.iter().map(|host| self.info(host, login, path)).collect::<Result<Vec<_>>>()
        };
        match kind {
            Kind::Single if self.hosts.len() == 1 => {
                Ok(Endpoint::Single(self.info(self.hosts[0], self.login, self.path)?))
            }
            Kind::Single => Err(malformed()),
            Kind::Cluster => Ok(Endpoint::Cluster(infos("", self.login)?)),
            Kind::Sentinel => {
                let missing = || Error::invalid("open", "`redis+sentinel` needs the option `service`");
                let service = service.filter(|service| !service.is_empty()).ok_or_else(missing)?;
                let master = self.info(self.hosts[0], self.login, self.path)?;
                Ok(Endpoint::Sentinel { sentinels: infos("", self.login)?, service, master })
            }
        }
    }

    /// The library's own parser gets a plain URL, so that users, passwords and addresses mean what they mean elsewhere.
    fn info(&self, host: &str, login: Option<&str>, path: &str) -> Result<ConnectionInfo> {
        let scheme = if self.tls { "rediss" } else { "redis" };
        let login = login.map(|login| format!("{login}@")).unwrap_or_default();
        let url = format!("{scheme}://{login}{host}/{path}");
        let info = url.as_str().into_connection_info().map_err(|_| malformed())?;
        let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let info = info.set_redis_settings(redis);
        Client::open(info.clone()).map_err(|_| malformed())?;
        Ok(info)
    }
}

/// Hides the password.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(info) => write!(f, "Single({})", info.addr()),
            Self::Cluster(nodes) => {
                f.debug_list().entries(nodes.iter().map(|info| info.addr().to_string())).finish()
            }
            Self::Sentinel { service, .. } => write!(f, "Sentinel({service:?})"),
        }
    }
}

fn parts(tls: bool, rest: &str) -> Result<Parts<'_>> {
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = place.split_once('/').unwrap_or((place, ""));
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (Some(login), hosts),
        None => (None, authority),
    };
    let hosts: Vec<_> = hosts.split(',').filter(|host| !host.is_empty()).collect();
    if hosts.is_empty() {
        return Err(malformed());
    }
    let query = query.split('&').filter(|part| !part.is_empty()).map(option).collect::<Result<Vec<_>>>()?;
    for (at, (key, _)) in query.iter().enumerate() {
        if query[..at].iter().any(|(earlier, _)| earlier == key) {
            return Err(Error::invalid("open", format!("the option `{key}` stands twice")));
        }
    }
    Ok(Parts { tls, login, hosts, path, query })
}

fn option(part: &str) -> Result<(String, String)> {
    let (key, value) = part
        .split_once('=')
        .ok_or_else(|| Error::invalid("open", "behind the `?`, options look like `key=value`"))?;
    Ok((decode(key)?, decode(value)?))
}

fn decode(text: &str) -> Result<String> {
    percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| malformed())
}

fn malformed() -> Error {
    let advice =
        "a store URL looks like `redis://[user:password@]host[:port][/db]`; TLS needs the feature `tls`";
    Error::invalid("open", advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> (Endpoint, Vec<(String, String)>) {
        Endpoint::parse(url).expect("well-formed")
    }

    #[test]
    fn users_passwords_and_databases_reach_the_library() {
        let (endpoint, own) = parse("redis://me:p%40ss@host:7000/3?namespace=a%2Eb");
        let Endpoint::Single(info) = endpoint else { panic!("{endpoint:?}") };
        assert_eq!(info.addr().to_string(), "host:7000");
        let redis = info.redis_settings();
        assert_eq!((redis.username(), redis.password(), redis.db()), (Some("me"), Some("p@ss"), 3));
        assert_eq!(own, [("namespace".to_owned(), "a.b".to_owned())]);
    }

    #[test]
    fn a_cluster_has_several_nodes_and_two_spellings() {
        assert!(matches!(parse("redis+cluster://a:1,b:2").0, Endpoint::Cluster(nodes) if nodes.len() == 2));
        assert!(matches!(parse("redis://a:1?cluster=true").0, Endpoint::Cluster(nodes) if nodes.len() == 1));
    }

    #[test]
    fn sentinels_watch_a_service() {
        let (endpoint, _) = parse("redis+sentinel://:pw@a:1,b:2/4?service=main");
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
            let refused = Endpoint::parse(url).expect_err(url);
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        assert!(!format!("{:?}", parse("redis://u:secret@h").0).contains("secret"));
    }
}
