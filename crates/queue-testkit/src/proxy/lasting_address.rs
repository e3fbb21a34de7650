//! Addresses for servers that are killed and started again where they were.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use queue_core::{Rng, SystemRng};

/// Ports that no system gives to those who connect.
const PORTS: std::ops::Range<u16> = 12_000..30_000;
const TRIES_MAX: usize = 100;

/// A free address of loopback that stays free for a server that is away for a moment.
///
/// Port 0 gives a port that the system also gives to programs that connect. While no program
/// listens there, any connection of this machine may get the port, and may hold it for long.
///
/// # Errors
///
/// No port of many that were tried is free.
pub fn lasting_address() -> io::Result<SocketAddr> {
    let mut found = free_address();
    for _ in 1..TRIES_MAX {
        if found.is_ok() {
            break;
        }
        found = free_address();
    }
    found
}

fn free_address() -> io::Result<SocketAddr> {
    let port = PORTS.start + (SystemRng.next_u64() % PORTS.len() as u64) as u16;
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))?.local_addr()
}
