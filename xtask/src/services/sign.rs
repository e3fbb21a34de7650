//! Looks whether a server shows a sign, and the few words with Redis that this takes.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::server::Sign;

/// Sent last, and answered last: a sentinel does not know how to hang up when asked to.
const END: &str = "that-was-all";
const ANSWER_MAX: Duration = Duration::from_secs(1);

impl Sign {
    pub(super) fn is_there(&self, password: &str) -> bool {
        match self {
            Self::File(path, end) => {
                fs::read_to_string(path).is_ok_and(|text| text.trim_end().ends_with(end))
            }
            Self::Answer(port, question, parts) => ask(*port, password, question)
                .is_ok_and(|answer| parts.iter().all(|part| answer.contains(part))),
        }
    }
}

/// The answer to a command, as it comes over the line. A refusal is an error.
pub(super) fn ask(port: u16, password: &str, command: &str) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    stream.write_all(format!("AUTH {password}\r\n{command}\r\nPING {END}\r\n").as_bytes())?;
    let answer = read_to_end_mark(&mut stream)?;
    let refused = answer.lines().find(|line| line.starts_with('-'));
    ensure!(refused.is_none(), "port {port} refused {command}: {}", refused.unwrap_or_default());
    let answer = answer.strip_prefix("+OK\r\n").context("no answer to the password")?;
    Ok(answer.to_owned())
}

fn read_to_end_mark(stream: &mut impl Read) -> Result<String> {
    let mark = format!("${}\r\n{END}\r\n", END.len());
    let (mut answer, mut part) = (Vec::new(), [0; 4_096]);
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
    use super::{Sign, ask};
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// Whether a server that sends this has the sign of one that is up.
    fn answers_to(reply: &str) -> bool {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("it is bound").port();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().expect("a client");
                let mut question = [0; "AUTH abc\r\nPING\r\nPING that-was-all\r\n".len()];
                stream.read_exact(&mut question).expect("a question");
                stream.write_all(reply.as_bytes()).expect("an answer");
            });
            Sign::Answer(port, "PING".to_owned(), vec!["+PONG\r\n".to_owned()]).is_there("abc")
        })
    }

    #[test]
    fn another_server_on_the_port_shows_no_sign() {
        let end = "$12\r\nthat-was-all\r\n";
        assert!(answers_to(&format!("+OK\r\n+PONG\r\n{end}")));
        assert!(!answers_to(&format!("-WRONGPASS x\r\n+PONG\r\n{end}")), "it does not know the password");
        assert!(!answers_to("+OK\r\n+PONG\r\n"), "it hangs up");
        assert!(!answers_to("HTTP/1.1 400 Bad Request\r\n"), "it is no Redis");
        assert!(ask(1, "abc", "PING").is_err(), "nobody listens");
    }

    #[test]
    fn only_the_end_of_a_file_is_a_sign() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pid");
        for (text, is_ready) in
            [("12\n/data\nready   \n", true), ("12\n/ready\nstarting\n", false), ("", false)]
        {
            std::fs::write(&file, text).expect("a file");
            assert_eq!(Sign::File(file.clone(), "ready").is_there(""), is_ready, "{text}");
        }
    }
}
