//! A TCP proxy that misbehaves on command, for the tests of stores that talk to a server.
//!
//! [`fault`](crate::fault) injects faults between a caller and a store; the proxy injects them
//! between a store's driver and its server. It cuts connections, withholds replies, delays,
//! throttles, and refuses. It knows no protocol, so it works for every server; it can cut and delay
//! encrypted connections, but cannot search in them.
//!
//! A lost reply is the most important fault: the server has done the work, and the caller cannot
//! know.
//!
//! ```
//! use bytes::Bytes;
//! use queue_testkit::proxy::{Proxy, Traffic};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! use tokio::net::{TcpListener, TcpStream};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
//! let server = TcpListener::bind("127.0.0.1:0").await?;
//! let proxy = Proxy::start(server.local_addr()?)?;
//! let mut client = TcpStream::connect(proxy.address()).await?;
//! let (mut at_server, _) = server.accept().await?;
//!
//! proxy.set(Traffic::CutBeforeReply(Bytes::from_static(b"COMMIT"))).await?;
//! client.write_all(b"COMMIT").await?;
//! let mut request = [0; 6];
//! at_server.read_exact(&mut request).await?; // the server has it, and does it
//! at_server.write_all(b"OK").await?;
//!
//! let mut reply = Vec::new();
//! let end = client.read_to_end(&mut reply).await;
//! assert!(reply.is_empty(), "the client never hears of it: {end:?}");
//! assert_eq!(proxy.counts().withheld, 1);
//! # Ok(()) }
//! ```
//!
//! The recipes:
//!
//! - replies lost in a whole run: `CutBeforeReply` with bytes of the request (`COMMIT`, the hash of
//!   a script), and [`Traffic::Pass`] again after a while; or [`Traffic::Silence`] for a client
//!   that has time-outs, then [`Proxy::wait_for`] `silenced`, then [`Proxy::cut`];
//! - large answers on a slow network: [`Traffic::Throttle`];
//! - a network that breaks: `cut` again and again;
//! - a server that is away: [`Traffic::Refuse`] and `cut`, later `Pass`.
//!
//! Absent on purpose: changed bytes, and streams with holes. TCP does neither.

mod connection;
mod counts;
mod door;
mod keeper;
mod lasting_address;
mod pump;
mod rates;
mod tcp_proxy;
mod traffic;
mod wire;

pub use counts::Counts;
pub use lasting_address::lasting_address;
pub use rates::Rates;
pub use tcp_proxy::Proxy;
pub use traffic::Traffic;
