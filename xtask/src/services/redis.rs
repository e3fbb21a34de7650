//! Redis: kept in memory, reachable by password over loopback alone.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::server::{Place, Server, folder_with, search_path};

const PROGRAM: &str = "redis-server";
const ANSWER_MAX: Duration = Duration::from_secs(1);

pub(super) struct Redis;

impl Server for Redis {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn variable(&self) -> &'static str {
        "QUEUE_TEST_REDIS_URL"
    }

    fn package(&self) -> &'static str {
        "redis-server"
    }

    fn find(&self) -> Option<PathBuf> {
        folder_with(search_path(), &[PROGRAM])
    }

    /// A file, since every account can read the command line of a process.
    fn prepare(&self, _bin: &Path, place: &Place) -> Result<()> {
        place.account.write(&settings_file(place), &settings(place))
    }

    fn command(&self, bin: &Path, place: &Place) -> Command {
        let mut redis = Command::new(bin.join(PROGRAM));
        redis.arg(settings_file(place));
        redis
    }

    /// Only the server that was started here knows the password.
    fn is_ready(&self, place: &Place) -> bool {
        ping(place).is_ok_and(|answer| answer == "+OK\r\n+PONG\r\n")
    }

    /// The user is spelt out, since some clients take an empty name for a user without one.
    fn url(&self, place: &Place) -> String {
        format!("redis://default:{}@127.0.0.1:{}/0", place.password, place.port)
    }

    fn stop_signal(&self) -> &'static str {
        "TERM"
    }
}

fn settings_file(place: &Place) -> PathBuf {
    place.folder.join("redis.conf")
}

/// A queue must never be evicted, so that the store refuses any other policy.
fn settings(place: &Place) -> String {
    let Place { folder, port, password, .. } = place;
    let folder = folder.display();
    format!(
        "bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir \"{folder}\"\ndaemonize no\n\
         save \"\"\nappendonly no\nmaxmemory-policy noeviction\n"
    )
}

fn ping(place: &Place) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", place.port))?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    stream.write_all(format!("AUTH {}\r\nPING\r\nQUIT\r\n", place.password).as_bytes())?;
    let mut answer = [0; "+OK\r\n+PONG\r\n".len()];
    stream.read_exact(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Place, Redis, Server, settings};
    use crate::services::account::Account;
    use std::io::Write;
    use std::net::TcpListener;

    fn place(port: u16) -> Place {
        Place { folder: "/tmp/x y".into(), port, password: "abc".to_owned(), account: Account::Own }
    }

    #[test]
    fn settings_keep_to_loopback_and_evict_nothing() {
        let text = settings(&place(7));
        for line in
            ["bind 127.0.0.1", "port 7", "requirepass abc", "dir \"/tmp/x y\"", "maxmemory-policy noeviction"]
        {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }

    #[test]
    fn another_server_on_the_port_is_not_ready() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let stranger = std::thread::Builder::new().spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.write_all(b"-WRONGPASS x\r\n").expect("an answer");
        });
        assert!(!Redis.is_ready(&place(port)));
        stranger.expect("a thread").join().expect("it ends");
    }
}
