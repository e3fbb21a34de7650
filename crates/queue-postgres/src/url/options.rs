//! How the options of the store are spelled in a URL.

use crate::options::{Listen, Migrations, Pooler, PostgresOptions};
use queue_core::Result;
use queue_store::UrlOption;

/// The options besides the limits.
pub(super) const OWN: [&str; 8] = [
    "schema",
    "migrations",
    "listen",
    "pooler",
    "connections_max",
    "acquire_timeout",
    "call_timeout",
    "probe_interval",
];

impl PostgresOptions {
    /// With one option of a URL, whose key is known.
    pub(crate) fn with(self, option: UrlOption<'_>) -> Result<Self> {
        Ok(match option.key() {
            "schema" => self.schema(option.value())?,
            "migrations" => {
                let choices = [("apply", Migrations::Apply), ("expect", Migrations::Expect)];
                self.migrations(option.one_of(&choices)?)
            }
            "listen" => self.listen(option.one_of(&[("on", Listen::On), ("off", Listen::Off)])?),
            "pooler" => {
                let choices = [("none", Pooler::None), ("transactions", Pooler::Transactions)];
                self.pooler(option.one_of(&choices)?)
            }
            "connections_max" => self.connections_max(option.number()?),
            "acquire_timeout" => self.acquire_timeout(option.length()?),
            "call_timeout" => self.call_timeout(option.length()?),
            "probe_interval" => self.probe_interval(option.length()?),
            _ => match option.limit(self.limits)? {
                Some(limits) => self.limits(limits),
                None => self,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Pooler, PostgresOptions};

    fn refusal(url: &str) -> String {
        PostgresOptions::new(url).expect_err(url).message().to_owned()
    }

    #[test]
    fn a_pooler_is_named_in_the_url() {
        let pooler = |url: &str| PostgresOptions::new(url).expect(url).pooler;
        assert_eq!(pooler("postgres://h/d"), Pooler::None);
        assert_eq!(pooler("postgres://h/d?pooler=none"), Pooler::None);
        assert_eq!(pooler("postgres://h/d?pooler=transactions&sslmode=disable"), Pooler::Transactions);
        assert!(refusal("postgres://h/d?pooler=session").contains("`none` or `transactions`"));
        assert!(refusal("postgres://h/d?pooler=none&pooler=none").contains("twice"));
    }
}
