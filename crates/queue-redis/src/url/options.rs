//! How the options of the store are spelled in a URL.

use crate::options::{Eviction, RedisOptions};
use queue_core::{Error, Result};
use queue_store::{LIMIT_OPTIONS, UrlOption};

/// The options besides the limits, for the error of another one.
const KNOWN: &str = "namespace, eviction, wait_for_replicas, response_timeout, connect_timeout, cluster, \
                     ssl_ca_certs, ssl_certfile, ssl_keyfile; with Sentinels service, sentinel_username, \
                     sentinel_password; with a Unix socket db, user, pass";

impl RedisOptions {
    /// With one option of a URL.
    pub(crate) fn with(self, option: UrlOption<'_>) -> Result<Self> {
        Ok(match option.key() {
            "namespace" => self.namespace(option.value())?,
            "eviction" => {
                let choices = [("refuse", Eviction::Refuse), ("allow", Eviction::Allow)];
                self.eviction(option.one_of(&choices)?)
            }
            "wait_for_replicas" => self.with_replicas(option)?,
            "response_timeout" => self.response_timeout(option.length()?),
            "connect_timeout" => self.connect_timeout(option.length()?),
            key => match option.limit(self.limits)? {
                Some(limits) => self.limits(limits),
                None => return Err(unknown(key)),
            },
        })
    }

    fn with_replicas(self, option: UrlOption<'_>) -> Result<Self> {
        let read = || {
            let (count, timeout) = option.value().split_once(',')?;
            let part = |value| UrlOption::new(option.key(), value);
            Some((part(count).number().ok()?, part(timeout).length().ok()?))
        };
        let advice = "`wait_for_replicas` is a number and a time, such as `1,500ms`";
        let (count, timeout) = read().ok_or_else(|| Error::invalid("open", advice))?;
        Ok(self.wait_for_replicas(count, timeout))
    }
}

fn unknown(key: &str) -> Error {
    let limits = LIMIT_OPTIONS.join(", ");
    Error::invalid("open", format!("`redis:` has no option `{key}`; it has {limits}, {KNOWN}"))
}

#[cfg(test)]
mod tests {
    use crate::{RedisOptions, options::Replicas};
    use std::time::Duration;

    #[test]
    fn replicas_are_a_number_and_a_time() {
        let options = RedisOptions::new("redis://h?wait_for_replicas=2,500ms").expect("valid");
        assert_eq!(options.replicas, Some(Replicas { count: 2, timeout: Duration::from_millis(500) }));
        for value in ["2", "0,1s", "2,5", ",", "2,1s,1s"] {
            let url = format!("redis://h?wait_for_replicas={value}");
            let refused = RedisOptions::new(&url).expect_err(&url);
            assert!(refused.message().contains("1,500ms"), "{refused}");
        }
    }

    #[test]
    fn an_unknown_option_is_refused_with_the_known_ones() {
        let refused = RedisOptions::new("redis://h?colour=red").expect_err("no such option");
        let message = refused.message();
        assert!(message.contains("`colour`") && message.contains("batch_max"), "{message}");
    }
}
