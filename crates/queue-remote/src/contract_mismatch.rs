//! The error of two builds that do not understand each other.

/// A server and a handle whose builds have other contracts. It is the
/// [source](std::error::Error::source) of an `Unsupported` error; nothing was applied.
///
/// The remote store promises nothing between versions: deploy both sides from the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractMismatch {
    own: String,
    server: String,
}

impl ContractMismatch {
    pub(crate) fn new(own: &str, server: &str) -> Self {
        // What a server calls itself is printed on terminals.
        let is_of_version = |c: &char| c.is_ascii_alphanumeric() || ".-+".contains(*c);
        let server = server.chars().filter(is_of_version).take(40).collect();
        Self { own: own.to_owned(), server }
    }

    /// The version of this library.
    pub fn own_version(&self) -> &str {
        &self.own
    }

    /// The version of the library of the server, as the server answers it. Builds of one version
    /// may differ too, as the builds of two commits do.
    pub fn server_version(&self) -> &str {
        &self.server
    }
}

impl std::fmt::Display for ContractMismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { own, server } = self;
        write!(
            f,
            "the server is another build of the library than this program (version {server}, and {own} here); \
             deploy both from the same one"
        )
    }
}

impl std::error::Error for ContractMismatch {}
