//! The proxy between a client and a server that answers each line with the same line in capitals.

mod server;

use bytes::Bytes;
use queue_testkit::proxy::{Counts, Proxy, Rates, Traffic};
use std::future::Future;
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use self::server::Server;

/// A test that would hang fails instead. No test here takes nearly as long.
const PATIENCE: Duration = Duration::from_secs(60);

async fn patiently<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what).await.expect("it takes no minute")
}

async fn wait_for(proxy: &Proxy, condition: impl FnMut(&Counts) -> bool) {
    patiently(proxy.wait_for(condition)).await;
}

struct Client(BufStream<TcpStream>);

impl Client {
    async fn connect(proxy: &Proxy) -> io::Result<Self> {
        TcpStream::connect(proxy.address()).await.map(|stream| Self(BufStream::new(stream)))
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("the connection is open");
        self.0.flush().await.expect("the connection is open");
    }

    /// The reply to a line, without its end.
    async fn ask(&mut self, line: &str) -> String {
        self.send(&format!("{line}\n")).await;
        let mut reply = String::new();
        self.0.read_line(&mut reply).await.expect("the connection is open");
        reply.trim_end().to_owned()
    }

    /// Reads what comes before the connection ends, whether it ends in an orderly way or not.
    async fn rest(mut self) -> String {
        let mut rest = Vec::new();
        drop(patiently(self.0.read_to_end(&mut rest)).await);
        String::from_utf8(rest).expect("it is text")
    }
}

async fn start() -> (Server, Proxy) {
    let server = Server::start().await;
    let proxy = Proxy::start(server.address()).expect("a free port");
    (server, proxy)
}

#[tokio::test]
async fn everything_passes_in_both_directions() {
    let (_server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    let long = "ab".repeat(1 << 20);
    assert_eq!(client.ask("a").await, "A");
    assert_eq!(client.ask(&long).await, long.to_uppercase());
    assert_eq!(proxy.counts().connections, 1);
}

#[tokio::test]
async fn a_client_that_has_said_everything_still_hears_the_reply() {
    let (_server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    client.send("last\n").await;
    client.0.shutdown().await.expect("the connection is open");
    assert_eq!(client.rest().await, "LAST\n");
}

#[tokio::test]
async fn in_silence_requests_arrive_and_replies_vanish() {
    let (mut server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    proxy.set(Traffic::Silence).await.expect("it works");
    client.send("a\n").await;
    assert_eq!(patiently(server.next_line()).await, "a");
    wait_for(&proxy, |counts| counts.silenced == 1).await;
    proxy.cut().await.expect("it works");
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn a_connection_that_lost_a_reply_stays_silent() {
    let (_server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    proxy.set(Traffic::Silence).await.expect("it works");
    client.send("a\n").await;
    wait_for(&proxy, |counts| counts.silenced == 1).await;
    proxy.set(Traffic::Pass).await.expect("it works");
    assert_eq!(Client::connect(&proxy).await.expect("it listens").ask("other").await, "OTHER");
    client.send("b\n").await;
    wait_for(&proxy, |counts| counts.silenced == 2).await;
    proxy.cut().await.expect("it works");
    assert_eq!(client.rest().await, "", "the reply to b would pass for the reply to a");
}

#[tokio::test]
async fn a_cut_ends_every_connection_and_no_later_one() {
    let (_server, proxy) = start().await;
    let mut clients = Vec::new();
    for _ in 0..3 {
        let mut client = Client::connect(&proxy).await.expect("it listens");
        assert_eq!(client.ask("a").await, "A");
        clients.push(client);
    }
    proxy.cut().await.expect("it works");
    for client in clients {
        assert_eq!(client.rest().await, "");
    }
    assert_eq!(Client::connect(&proxy).await.expect("it listens").ask("b").await, "B");
}

#[tokio::test]
async fn the_reply_to_a_chosen_request_is_withheld() {
    let (mut server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    let mut bystander = Client::connect(&proxy).await.expect("it listens");
    proxy.set(Traffic::CutBeforeReply(Bytes::from_static(b"commit"))).await.expect("it works");
    assert_eq!(client.ask("begin").await, "BEGIN");
    client.send("commit\n").await;
    assert_eq!(client.rest().await, "");
    assert_eq!(
        (patiently(server.next_line()).await, patiently(server.next_line()).await),
        ("begin".to_owned(), "commit".to_owned())
    );
    assert_eq!(proxy.counts().withheld, 1);
    assert_eq!(bystander.ask("begin").await, "BEGIN", "other connections are left alone");
}

#[tokio::test]
async fn without_a_choice_every_reply_is_withheld() {
    let (mut server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    assert_eq!(client.ask("before").await, "BEFORE");
    proxy.set(Traffic::CutBeforeReply(Bytes::new())).await.expect("it works");
    client.send("a\n").await;
    assert_eq!(client.rest().await, "");
    assert_eq!(
        (patiently(server.next_line()).await, patiently(server.next_line()).await),
        ("before".to_owned(), "a".to_owned())
    );
}

/// On paused time, which passes by timers alone.
#[tokio::test(start_paused = true)]
async fn a_delay_holds_in_each_direction_and_keeps_the_order() {
    let delay = Duration::from_secs(600);
    let (_server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    proxy.set(Traffic::Delay(delay)).await.expect("it works");
    let start = Instant::now();
    client.send("a\n").await;
    assert_eq!(client.ask("b").await, "A");
    assert!(start.elapsed() >= 2 * delay, "{:?}", start.elapsed());
    assert_eq!(client.ask("c").await, "B");
}

/// On paused time, which passes by timers alone. Lines of 100 kB go through 1 kB/s, so that each
/// takes 100 s.
#[tokio::test(start_paused = true)]
async fn a_throttle_holds_in_its_direction_over_all_connections_together() {
    let (_server, proxy) = start().await;
    let mut first = Client::connect(&proxy).await.expect("it listens");
    let mut second = Client::connect(&proxy).await.expect("it listens");
    let (line, takes) = ("a".repeat(100_000), Duration::from_secs(100));
    let (to_client, to_server) = (Rates::default().to_client(1_000), Rates::default().to_server(1_000));
    for rates in [to_client, to_server] {
        proxy.set(Traffic::Throttle(rates)).await.expect("it works");
        let start = Instant::now();
        let (one, other) = tokio::join!(first.ask(&line), second.ask(&line));
        assert!(one == line.to_uppercase() && other == one, "every byte arrives");
        let took = start.elapsed() + Duration::from_secs(1);
        assert!(took >= takes * 2 && took < takes * 3, "once for each line, one direction alone: {took:?}");
    }
    proxy.set(Traffic::Pass).await.expect("it works");
    let start = Instant::now();
    assert_eq!(first.ask(&line).await, line.to_uppercase());
    assert!(start.elapsed() < takes, "the throttle is gone: {:?}", start.elapsed());
}

#[tokio::test]
async fn new_connections_are_refused_and_open_ones_live() {
    let (_server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    assert_eq!(client.ask("a").await, "A");
    for _ in 0..3 {
        proxy.set(Traffic::Refuse).await.expect("the port is ours");
        let refused = Client::connect(&proxy).await.err().expect("nobody listens");
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        assert_eq!(client.ask("b").await, "B");
        proxy.set(Traffic::Pass).await.expect("the port is ours");
        assert_eq!(Client::connect(&proxy).await.expect("it listens").ask("c").await, "C");
    }
}

#[tokio::test]
async fn a_server_that_is_away_ends_the_connection() {
    let (server, proxy) = start().await;
    server.stop().await;
    let client = Client::connect(&proxy).await.expect("the proxy itself listens");
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn a_server_that_hangs_up_ends_the_connection() {
    let (server, proxy) = start().await;
    let mut client = Client::connect(&proxy).await.expect("it listens");
    assert_eq!(client.ask("a").await, "A");
    server.stop().await;
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn a_closed_proxy_refuses_and_ends_what_was_open() {
    let (_server, proxy) = start().await;
    let address = proxy.address();
    let mut client = Client::connect(&proxy).await.expect("it listens");
    assert_eq!(client.ask("a").await, "A");
    proxy.close().await;
    assert_eq!(
        TcpStream::connect(address).await.err().map(|error| error.kind()),
        Some(ErrorKind::ConnectionRefused)
    );
    assert_eq!(client.rest().await, "");
}
