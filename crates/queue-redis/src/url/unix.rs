//! The URL of a server on a Unix socket.

use super::{RedisUrl, malformed};
use crate::{endpoint::Endpoint, tls::CertificateFiles};
use queue_core::{Error, Result};
use queue_store::{decode_url, url_options};
use redis::{ConnectionAddr, IntoConnectionInfo, ProtocolVersion, RedisConnectionInfo};

const SCHEMES: [&str; 3] = ["redis+unix:", "valkey+unix:", "unix:"];

/// What stands behind the scheme of such a URL; `None` for a URL of another kind.
pub(super) fn path(url: &str) -> Option<&str> {
    let rest = SCHEMES.iter().find_map(|scheme| url.strip_prefix(scheme))?;
    Some(rest.strip_prefix("//").unwrap_or(rest))
}

/// The database and the login are options, named as the driver names them: a path has no place for
/// them.
pub(super) fn parse(place: &str) -> Result<RedisUrl> {
    if !cfg!(unix) {
        return Err(Error::invalid("open", "this system has no Unix sockets"));
    }
    let (path, query) = place.split_once('?').unwrap_or((place, ""));
    let path = decode_url(path)?;
    if path.is_empty() {
        return Err(malformed());
    }
    // As for a server on a port, the name of the library is not sent.
    let mut redis =
        RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP3).set_skip_set_lib_name();
    let mut others = Vec::new();
    for (key, value) in url_options(query)? {
        redis = match key.as_str() {
            "db" => redis.set_db(value.parse().map_err(|_| Error::invalid("open", "`db` is a number"))?),
            "user" => redis.set_username(value),
            "pass" => redis.set_password(value),
            _ => {
                others.push((key, value));
                redis
            }
        };
    }
    let info = ConnectionAddr::Unix(path.into()).into_connection_info().map_err(|_| malformed())?;
    let endpoint = Endpoint::Single(info.set_redis_settings(redis));
    Ok(RedisUrl { endpoint, certificates: CertificateFiles::default(), options: others })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_a_path_and_its_database_and_login_are_options() {
        for scheme in SCHEMES {
            let url = format!("{scheme}/run/a%3Fb.sock?db=3&user=me&pass=p%40ss&namespace=mail");
            let RedisUrl { endpoint, options, .. } = RedisUrl::parse(&url).expect("well-formed");
            let Endpoint::Single(info) = endpoint else { panic!("{endpoint:?}") };
            assert_eq!(info.addr().to_string(), "/run/a?b.sock");
            let redis = info.redis_settings();
            assert_eq!((redis.username(), redis.password(), redis.db()), (Some("me"), Some("p@ss"), 3));
            assert_eq!(options, [("namespace".to_owned(), "mail".to_owned())]);
        }
        let slashes = RedisUrl::parse("redis+unix:///run/redis.sock").expect("well-formed").endpoint;
        assert_eq!(slashes.to_string(), "/run/redis.sock");
    }

    #[test]
    fn what_names_no_socket_is_refused() {
        for url in ["redis+unix:", "unix://", "unix:/a%00b", "redis+unix:/a?db=x", "redis+unix:/a?db=1&db=2"]
        {
            assert!(RedisUrl::parse(url).is_err(), "{url}");
        }
    }
}
