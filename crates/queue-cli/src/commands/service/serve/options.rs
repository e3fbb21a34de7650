//! Where a server listens, and whom it lets in.

use crate::{exit::CliError, parse};
use clap::Args;
use queue_http::{
    AccessControl, Address, BrowserRules, Door, RequestLimits, ServerLimits, ServerOptions, TlsFiles, Tokens,
};
use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, time::Duration};

/// Where a server listens.
#[derive(Debug, Args)]
pub(super) struct ListenArgs {
    /// An IP address and a port, or unix:PATH; may be repeated
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: Vec<Address>,
    /// The certificate of the server with its chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its private key, in PEM, in a file that others cannot read
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Authorities whose client certificates are accepted in place of a token, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    client_ca: Option<PathBuf>,
    /// Accept tokens of other machines without TLS, since something in front of the server encrypts
    #[arg(long, conflicts_with = "tls_cert")]
    plaintext: bool,
    /// The rights of sockets, in octal
    #[arg(long, value_name = "MODE", default_value = "600", value_parser = mode)]
    socket_mode: u32,
    /// The most connections at the same time
    #[arg(long, value_name = "N", default_value_t = ServerLimits::default().connections_max, value_parser = count)]
    connections: usize,
    /// How long the server still takes requests after a signal to stop, so that a load balancer can
    /// see that it is not ready
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse::duration, allow_hyphen_values = true)]
    drain_delay: Duration,
    /// How long requests may go on after that
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse::duration, allow_hyphen_values = true)]
    drain_timeout: Duration,
}

/// Whom a server lets in.
#[derive(Debug, Args)]
pub(super) struct DoorArgs {
    /// The file of tokens, from `queue token new`
    #[arg(long, value_name = "FILE", env = "QUEUE_TOKENS", conflicts_with = "no_auth")]
    tokens: Option<PathBuf>,
    /// Ask for no token: all clients are let in, and the server listens to this machine alone
    #[arg(long)]
    no_auth: bool,
    /// A name by which clients reach the server, without its port; others are refused. May be
    /// repeated [default: any name, but with --no-auth localhost alone]
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// An origin whose web pages may use the server, such as `https://tools.example.org`; may be
    /// repeated
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
}

impl ListenArgs {
    /// Whether browsers reach the server by HTTPS: its own, or that of what is in front of it.
    pub(super) fn is_encrypted(&self) -> bool {
        self.tls_cert.is_some() || self.plaintext
    }

    pub(super) fn options(&self, door: Door) -> ServerOptions {
        let mut limits = ServerLimits::default();
        limits.connections_max = self.connections;
        limits.drain_delay = self.drain_delay;
        limits.drain_timeout = self.drain_timeout;
        let options = ServerOptions::new(self.listen.iter().cloned(), door)
            .socket_mode(self.socket_mode)
            .limits(limits);
        let options = match (&self.tls_cert, &self.tls_key) {
            (Some(certificates), Some(key)) => options.tls(TlsFiles {
                certificates: certificates.clone(),
                key: key.clone(),
                client_authorities: self.client_ca.clone(),
            }),
            _ => options,
        };
        if self.plaintext { options.accept_plaintext() } else { options }
    }
}

impl DoorArgs {
    /// The demonstration holds nothing that needs protection.
    pub(super) fn for_demo(self, is_demo: bool) -> Self {
        Self { no_auth: self.no_auth || (is_demo && self.tokens.is_none()), ..self }
    }

    pub(super) fn door(&self) -> Result<Door, CliError> {
        match &self.tokens {
            Some(path) => Ok(Door::Tokens(Arc::new(Tokens::load(path)?))),
            None if self.no_auth => Ok(Door::Anybody),
            None => Err(CliError::invalid(
                "give --tokens FILE, which `queue token new --tokens FILE` makes, or --no-auth to let everybody of this machine in",
            )),
        }
    }

    pub(super) fn control(&self, door: &Door) -> Result<AccessControl, CliError> {
        let mut rules = BrowserRules::default();
        for origin in &self.allow_origin {
            rules = rules.allow_origin(origin)?;
        }
        if self.no_auth || !self.allow_host.is_empty() {
            rules = rules.only_hosts(self.allow_host.iter().cloned());
        }
        Ok(match door {
            Door::Tokens(tokens) => {
                AccessControl::with_tokens(tokens.clone(), rules, RequestLimits::default())
            }
            Door::Anybody => AccessControl::without_tokens(rules, RequestLimits::default()),
        })
    }
}

/// The rights of a file in octal, such as `660`.
fn mode(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 => Ok(mode),
        _ => Err("give the rights in octal, such as 660".to_owned()),
    }
}

fn count(text: &str) -> Result<usize, String> {
    parse::number_from_one(text).map(NonZeroUsize::get)
}
