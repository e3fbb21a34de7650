//! Programs that talk to a server at an address that exists for no reader.

use std::env;

/// For each kind of server: its scheme in programs, its variable in the environment, and how a
/// program gets its own corner of the server.
const SERVERS: [(&str, &str, &str); 2] = [
    ("\"postgres://", "QUEUE_TEST_POSTGRES_URL", "schema"),
    ("\"redis://", "QUEUE_TEST_REDIS_URL", "namespace"),
];
/// The variable in which a running program finds its address.
const ADDRESS: &str = "PAGES_SERVER";

/// The variable with the address of the server that a program opens, if it does.
pub(super) fn needed(program: &str) -> Option<&'static str> {
    SERVERS.iter().find(|(scheme, ..)| program.contains(scheme)).map(|(_, variable, _)| *variable)
}

/// The program, with an address from its environment in place of the one on the page.
pub(super) fn from_environment(program: &str) -> String {
    let mut text = program.to_owned();
    for (scheme, ..) in SERVERS {
        while let Some(begin) = text.find(scheme) {
            let end = text[begin + 1..].find('"').map_or(text.len(), |length| begin + length + 2);
            text.replace_range(begin..end, &format!("&std::env::var({ADDRESS:?}).expect(\"a server\")"));
        }
    }
    text
}

/// The environment of a program on the given server, if there is one.
pub(super) fn environment(variable: &str, corner: &str) -> Option<(&'static str, String)> {
    let (.., parameter) = SERVERS.iter().find(|(_, known, _)| *known == variable)?;
    let url = env::var(variable).ok()?;
    let sign = if url.contains('?') { '&' } else { '?' };
    Some((ADDRESS, format!("{url}{sign}{parameter}=pages_{corner}")))
}

#[cfg(test)]
mod tests {
    use super::{from_environment, needed};

    #[test]
    fn the_address_of_a_page_becomes_that_of_the_environment() {
        let program = "open(\"postgres://a:b@c/d?schema=jobs\").await?; say(\"x\");";
        assert_eq!(needed(program), Some("QUEUE_TEST_POSTGRES_URL"));
        let expected = "open(&std::env::var(\"PAGES_SERVER\").expect(\"a server\")).await?; say(\"x\");";
        assert_eq!(from_environment(program), expected);
    }

    #[test]
    fn other_programs_stay_as_they_are() {
        let program = "open(\"sqlite:jobs.db\")";
        assert_eq!((needed(program), from_environment(program).as_str()), (None, program));
    }
}
