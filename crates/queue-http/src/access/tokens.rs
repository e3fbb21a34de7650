//! The tokens that a server accepts at this moment.

use crate::access::{AccessError, Principal, Token, token_file::list_tokens, token_table::Table};
use parking_lot::RwLock;
use queue_core::{Clock, SystemClock};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use subtle::ConstantTimeEq;

/// The tokens of a file, as they were when the file was read last.
#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    waits_max: usize,
    table: RwLock<Arc<Table>>,
}

/// Why a caller is refused. The log has the reason; the answer to the caller does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotLetIn {
    /// Nothing was presented.
    Nothing,
    /// What was presented is no token.
    NoToken,
    /// No token has this id, or its secret is another one.
    Unknown,
    /// The token was good until its end.
    Over,
}

impl Tokens {
    /// Reads the file. It is refused if other users can read or change it.
    pub fn load(path: impl Into<PathBuf>) -> Result<Self, AccessError> {
        Self::load_with(path, Arc::new(SystemClock), Principal::WAITS_MAX)
    }

    /// The same with a clock of the caller's, by which tokens end, and the number of requests of
    /// one token that may wait at the same time.
    pub fn load_with(
        path: impl Into<PathBuf>,
        clock: Arc<dyn Clock>,
        waits_max: usize,
    ) -> Result<Self, AccessError> {
        let path = path.into();
        let table = Table::of(&list_tokens(&path)?, &Table::default(), waits_max, &clock);
        Ok(Self { path, clock, waits_max, table: RwLock::new(Arc::new(table)) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file again, and answers how many tokens there are now. If it cannot be used, the
    /// tokens stay as they are. Requests that were let in before run to their end.
    pub fn reload(&self) -> Result<usize, AccessError> {
        let records = list_tokens(&self.path)?;
        let mut table = self.table.write();
        let read = Table::of(&records, &table, self.waits_max, &self.clock);
        table.gone_from(&read).for_each(Principal::end);
        *table = Arc::new(read);
        Ok(records.len())
    }

    /// The principal of a bearer token. An unknown id takes as long as a wrong secret.
    pub(crate) fn bearer(&self, presented: &str) -> Result<Principal, NotLetIn> {
        let token = Token::parse(presented).ok_or(NotLetIn::NoToken)?;
        self.still(token.id(), &token.digest())
    }

    /// The id and the digest of a bearer token that is valid, by which [`still`](Self::still) knows
    /// it again.
    pub(crate) fn holder(&self, presented: &str) -> Result<(String, [u8; 32]), NotLetIn> {
        let token = Token::parse(presented).ok_or(NotLetIn::NoToken)?;
        self.still(token.id(), &token.digest())?;
        Ok((token.id().to_owned(), token.digest()))
    }

    /// The digest of the token with this id.
    pub(crate) fn digest(&self, id: &str) -> Option<[u8; 32]> {
        self.table.read().by_id.get(id).map(|(digest, _)| *digest)
    }

    /// The principal of a token with this id and digest.
    pub(crate) fn still(&self, id: &str, digest: &[u8; 32]) -> Result<Principal, NotLetIn> {
        let table = self.table.read().clone();
        let found = table.by_id.get(id);
        let expected = found.map_or([0; 32], |(digest, _)| *digest);
        let is_right: bool = expected.ct_eq(digest).into();
        match found {
            Some((_, principal)) if is_right => self.unless_over(principal),
            _ => Err(NotLetIn::Unknown),
        }
    }

    /// The principal of a client certificate that the server has verified.
    pub(crate) fn subject(&self, subject: &str) -> Result<Principal, NotLetIn> {
        let table = self.table.read().clone();
        table.by_subject.get(subject).ok_or(NotLetIn::Unknown).and_then(|found| self.unless_over(found))
    }

    fn unless_over(&self, principal: &Principal) -> Result<Principal, NotLetIn> {
        if principal.is_over(self.clock.now()) { Err(NotLetIn::Over) } else { Ok(principal.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{NotLetIn, Tokens};
    use crate::access::{
        NewToken, Principal, Scope,
        token_file::{add_subject, add_token, revoke_token},
    };
    use futures_util::FutureExt;
    use queue_core::{ManualClock, SeededRng, Timestamp};
    use std::{path::PathBuf, sync::Arc, time::Duration};

    const START: Timestamp = Timestamp::from_millis(1_000_000);

    struct Folder {
        _place: tempfile::TempDir,
        path: PathBuf,
        rng: SeededRng,
        clock: Arc<ManualClock>,
    }

    impl Folder {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("tokens");
            let clock = Arc::new(ManualClock::new(START));
            Self { _place: folder, path, rng: SeededRng::new(7), clock }
        }

        fn load(&self) -> Tokens {
            Tokens::load_with(&self.path, self.clock.clone(), 2).unwrap()
        }
    }

    fn work() -> NewToken {
        NewToken::new([Scope::Work], ["mail*".parse().unwrap()])
    }

    #[test]
    fn the_right_secret_is_let_in_and_any_other_is_not() {
        let at = Folder::new();
        let token = add_token(&at.path, work(), &at.rng).unwrap();
        let tokens = at.load();
        assert_eq!(tokens.bearer(&token.reveal()).unwrap().token_id(), token.id());
        let text = token.reveal();
        for place in 0..text.len() {
            let mut forged = text.clone().into_bytes();
            forged[place] = if forged[place] == b'A' { b'Q' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert!(tokens.bearer(&forged).is_err(), "{forged}");
        }
        let stranger = crate::access::Token::generate(&at.rng);
        assert_eq!(tokens.bearer(&stranger.reveal()).unwrap_err(), NotLetIn::Unknown);
    }

    #[test]
    fn a_token_ends_at_its_time() {
        let at = Folder::new();
        let new = work().expires_at(Timestamp::from_millis(1_060_000));
        let token = add_token(&at.path, new, &at.rng).unwrap().reveal();
        let tokens = at.load();
        at.clock.advance(Duration::from_millis(59_999));
        assert!(tokens.bearer(&token).is_ok());
        at.clock.advance(Duration::from_millis(1));
        assert_eq!(tokens.bearer(&token).unwrap_err(), NotLetIn::Over);
    }

    #[test]
    fn a_token_ends_when_it_is_revoked_or_changed_and_goes_on_when_another_is() {
        let at = Folder::new();
        let add = |new| add_token(&at.path, new, &at.rng).unwrap();
        let gone = add(work());
        let stays = add(work());
        let tokens = at.load();
        let [of_gone, of_stays] = [&gone, &stays].map(|token| tokens.bearer(&token.reveal()).unwrap());
        let has_ended = |of: &Principal| of.ended().now_or_never().is_some();
        assert!(revoke_token(&at.path, gone.id()).unwrap());
        assert!(!has_ended(&of_gone), "the file was not read yet");
        tokens.reload().unwrap();
        assert!(has_ended(&of_gone) && !has_ended(&of_stays));
    }

    #[tokio::test(start_paused = true)]
    async fn what_began_with_a_token_ends_within_a_second_of_its_end() {
        let at = Folder::new();
        let new = work().expires_at(Timestamp::from_millis(1_060_000));
        let token = add_token(&at.path, new, &at.rng).unwrap().reveal();
        let principal = at.load().bearer(&token).unwrap();
        let mut ended = Box::pin(principal.ended());
        assert!((&mut ended).now_or_never().is_none());
        at.clock.advance(Duration::from_mins(1));
        let begun = tokio::time::Instant::now();
        ended.await;
        assert!(begun.elapsed() <= Duration::from_secs(1), "on the paused clock of the test");
    }

    #[test]
    fn a_revoked_token_is_refused_once_the_file_was_read_again_and_others_keep_their_waits() {
        let at = Folder::new();
        let gone = add_token(&at.path, work(), &at.rng).unwrap();
        let stays = add_token(&at.path, work(), &at.rng).unwrap().reveal();
        let tokens = at.load();
        let principal = tokens.bearer(&stays).unwrap();
        let _waits = (principal.begin_wait().unwrap(), principal.begin_wait().unwrap());
        assert!(revoke_token(&at.path, gone.id()).unwrap() && !revoke_token(&at.path, gone.id()).unwrap());
        assert!(tokens.bearer(&gone.reveal()).is_ok());
        assert_eq!(tokens.reload().unwrap(), 1);
        assert!(tokens.bearer(&gone.reveal()).is_err());
        assert!(tokens.bearer(&stays).unwrap().begin_wait().is_none(), "the file is no way round the limit");
    }

    #[test]
    fn a_spoiled_file_leaves_the_tokens_as_they_are() {
        let at = Folder::new();
        let token = add_token(&at.path, work(), &at.rng).unwrap();
        let text = std::fs::read_to_string(&at.path).unwrap();
        assert!(!text.contains(&token.reveal()[16..]), "the secret is in no file");
        let tokens = at.load();
        for (from, to) in [
            ("\"work\"", "\"wrok\""),
            ("\"work\"", ""),
            ("\"mail*\"", ""),
            ("\"mail*\"", "\"\""),
            ("\"version\": 1", "\"version\": 2"),
            ("\"scopes\"", "\"scope\""),
            ("\"sha256\": \"", "\"sha256\": \"0"),
            ("\"id\": \"", "\"id\": \"A"),
        ] {
            std::fs::write(&at.path, text.replacen(from, to, 1)).unwrap();
            assert!(tokens.reload().is_err(), "{from} {to}");
        }
        assert!(tokens.bearer(&token.reveal()).is_ok());
    }

    #[test]
    fn what_no_server_would_accept_is_not_written() {
        let at = Folder::new();
        add_subject(&at.path, work(), "CN=mailer".to_owned(), &at.rng).unwrap();
        let before = std::fs::read(&at.path).unwrap();
        let note = work().note("two\nlines");
        assert!(add_token(&at.path, note, &at.rng).is_err());
        assert!(add_token(&at.path, NewToken::new([], []), &at.rng).is_err());
        assert!(add_subject(&at.path, work(), "CN=mailer".to_owned(), &at.rng).is_err());
        assert_eq!(std::fs::read(&at.path).unwrap(), before);
        let tokens = at.load();
        assert!(tokens.subject("CN=mailer").is_ok() && tokens.subject("CN=other").is_err());
    }
}
