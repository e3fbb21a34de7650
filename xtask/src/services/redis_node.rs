//! One process of Redis' kind: its settings, and a few words with it. Alone or one of several.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::certificates::Certificates;
use super::package::Package;
use super::server::{Durability, Place};

pub(super) const PROGRAM: &str = "redis-server";
pub(super) const PACKAGE: Package = Package::Debian("redis-server");
pub(super) const STOP_SIGNAL: &str = "TERM";
/// Sent last, and answered last.
const END: &str = "that-was-all";
const ANSWER_MAX: Duration = Duration::from_secs(1);

/// The process on one port of a place, in a folder of its own.
pub(super) struct Node<'a> {
    place: &'a Place,
    port: u16,
    tls_port: Option<u16>,
}

/// What the URL of servers that speak TLS says of certificates, in the words of the store.
pub(super) fn tls_options(place: &Place) -> String {
    Certificates::of(place).options(["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"])
}

impl<'a> Node<'a> {
    pub(super) fn new(place: &'a Place, port: u16) -> Self {
        Self { place, port, tls_port: None }
    }

    /// Encrypts what comes in on another port, and what goes out to its like. The first one stays
    /// as it is, for questions from here.
    pub(super) fn with_tls_port(self, port: u16) -> Self {
        Self { tls_port: Some(port), ..self }
    }

    /// Writes settings, and `more` of them. A file, since every account can read the command line
    /// of a process.
    pub(super) fn prepare(&self, more: &str) -> Result<()> {
        self.prepare_as(&format!("{}{more}", self.data_settings()))
    }

    /// Writes the settings of a process that holds no data.
    pub(super) fn prepare_as(&self, more: &str) -> Result<()> {
        self.place.account.create_folder(&self.folder())?;
        self.place.account.write(&self.settings_file(), &format!("{}{more}", self.base_settings()))
    }

    pub(super) fn command(&self, bin: &Path, program: &str) -> Command {
        let mut redis = Command::new(bin.join(program));
        redis.arg(self.settings_file());
        redis
    }

    /// Only the process that was started here knows the password.
    pub(super) fn answers(&self) -> bool {
        self.ask(&["PING"]).is_ok_and(|answer| answer == "+PONG\r\n")
    }

    /// The answers to some commands, one after the other, as they come over the line. A refusal is
    /// an error.
    pub(super) fn ask(&self, commands: &[&str]) -> Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(ANSWER_MAX))?;
        let (password, lines) = (&self.place.password, commands.join("\r\n"));
        stream.write_all(format!("AUTH {password}\r\n{lines}\r\nPING {END}\r\n").as_bytes())?;
        let answer = read_to_end_mark(&mut stream)?;
        let refused = answer.lines().find(|line| line.starts_with('-'));
        ensure!(
            refused.is_none(),
            "port {} refused {commands:?}: {}",
            self.port,
            refused.unwrap_or_default()
        );
        let answer = answer.strip_prefix("+OK\r\n").context("no answer to the password")?;
        Ok(answer.to_owned())
    }

    fn folder(&self) -> PathBuf {
        self.place.folder.join(self.port.to_string())
    }

    fn settings_file(&self) -> PathBuf {
        self.folder().join("redis.conf")
    }

    fn base_settings(&self) -> String {
        let (port, password, folder) = (self.port, &self.place.password, self.folder());
        let folder = folder.display();
        let tls = self.tls_port.map(|port| self.tls_settings(port)).unwrap_or_default();
        format!("bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir \"{folder}\"\ndaemonize no\n{tls}")
    }

    fn tls_settings(&self, port: u16) -> String {
        let files = Certificates::of(self.place);
        let (authority, (certificate, key)) = (files.authority(), files.server());
        format!(
            "tls-port {port}\ntls-ca-cert-file \"{}\"\ntls-cert-file \"{}\"\ntls-key-file \"{}\"\n\
             tls-auth-clients yes\ntls-replication yes\n",
            authority.display(),
            certificate.display(),
            key.display()
        )
    }

    /// A queue must never be evicted, so that the store refuses any other policy.
    fn data_settings(&self) -> String {
        let append = match self.place.durability {
            Durability::None => "appendonly no\n",
            Durability::Disk => "appendonly yes\nappendfsync always\n",
        };
        format!("save \"\"\nmaxmemory-policy noeviction\n{append}")
    }
}

/// What comes before the answer to the last `PING`. A sentinel does not know how to hang up when
/// asked to.
fn read_to_end_mark(stream: &mut impl Read) -> Result<String> {
    let (mark, mut answer, mut part) = (format!("${}\r\n{END}\r\n", END.len()), Vec::new(), [0; 4_096]);
    while !answer.ends_with(mark.as_bytes()) {
        let length = stream.read(&mut part)?;
        ensure!(length > 0, "it hung up");
        answer.extend_from_slice(&part[..length]);
    }
    answer.truncate(answer.len() - mark.len());
    Ok(String::from_utf8(answer)?)
}

#[cfg(test)]
mod tests {
    use super::Node;
    use crate::services::account::Account;
    use crate::services::server::{Durability, Place, sample_place};
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn settings_keep_to_loopback_and_evict_nothing() {
        let text = written(Durability::None);
        for line in ["bind 127.0.0.1", "port 7", "requirepass abc", "maxmemory-policy noeviction"] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert!(text.contains("appendonly no") && text.contains("dir \""), "{text}");
    }

    #[test]
    fn an_encrypted_process_asks_for_certificates() {
        let place = sample_place(&[7]);
        let settings = Node::new(&place, 7).with_tls_port(8).base_settings();
        for line in
            ["port 7", "tls-port 8", "tls-auth-clients yes", "tls-key-file \"/tmp/x y/tls/server.key\""]
        {
            assert!(settings.lines().any(|found| found == line), "{line} in {settings}");
        }
    }

    #[test]
    fn a_durable_process_writes_before_it_answers() {
        let text = written(Durability::Disk);
        assert!(text.contains("appendonly yes\nappendfsync always\n"), "{text}");
    }

    #[test]
    fn another_server_on_the_port_does_not_answer() {
        let end = "$12\r\nthat-was-all\r\n";
        assert!(!answers_to(&format!("-WRONGPASS x\r\n+PONG\r\n{end}")), "it does not know the password");
        assert!(!answers_to("+OK\r\n+PONG\r\n"), "it hangs up");
        assert!(!answers_to(end), "it says too little");
        assert!(answers_to(&format!("+OK\r\n+PONG\r\n{end}")));
    }

    #[test]
    fn a_refused_command_is_an_error_that_says_why() {
        let reply = "+OK\r\n-ERR slot 7 is busy\r\n$12\r\nthat-was-all\r\n";
        let error = with_stranger(reply, |node| node.ask(&["PING"])).expect_err("it is refused");
        assert!(error.to_string().contains("slot 7 is busy"), "{error}");
    }

    fn written(durability: Durability) -> String {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("x y");
        Account::Own.create_folder(&folder).expect("a new folder");
        let place = Place { folder, durability, ..sample_place(&[7]) };
        let node = Node::new(&place, place.port());
        node.prepare("").expect("it can be written");
        std::fs::read_to_string(node.settings_file()).expect("it was written")
    }

    fn answers_to(reply: &str) -> bool {
        with_stranger(reply, |node| node.answers())
    }

    fn with_stranger<T>(reply: &str, ask: impl FnOnce(Node<'_>) -> T) -> T {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let reply = reply.to_owned();
        let stranger = std::thread::Builder::new().spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut question = [0; "AUTH abc\r\nPING\r\nPING that-was-all\r\n".len()];
            stream.read_exact(&mut question).expect("a question");
            stream.write_all(reply.as_bytes()).expect("an answer");
        });
        let answer = ask(Node::new(&sample_place(&[port]), port));
        stranger.expect("a thread").join().expect("it ends");
        answer
    }
}
