//! The state of one handle, which its verbs share, and how they call a script.

use crate::{
    client::{Access, Client, ScriptRun},
    clock::RedisClock,
    keys::Spread,
    known_queues::{KnownQueue, KnownQueues},
    reply::{Reply, corrupt},
    rights,
    row::NUMBERS_MAX,
    script::{self, Script},
};
use queue_core::{Error, ErrorKind, Limits, Moment, Result, Timestamp};

/// The version of what is written. It changes whenever an older version of this library would
/// misread it.
pub(crate) const LAYOUT: i64 = 8;

/// The state of one handle, which its verbs share.
#[derive(Debug)]
pub(crate) struct HandleState {
    pub(crate) client: Client,
    pub(crate) clock: RedisClock,
    pub(crate) queues: KnownQueues,
    pub(crate) limits: Limits,
}

/// The answer of a script about one queue: what each of them says first, and the rest.
#[derive(Debug)]
pub(crate) struct ScriptAnswer {
    pub(crate) moment: Moment,
    /// The queue's number, zero if it never had a job.
    pub(crate) number: u64,
    pub(crate) rest: Reply,
}

impl HandleState {
    /// Runs a script about one queue; `args` are those behind the two about time.
    pub(crate) async fn call(
        &self,
        operation: &'static str,
        script: &'static Script,
        queue: &KnownQueue,
        access: Access,
        args: Vec<Vec<u8>>,
    ) -> Result<ScriptAnswer> {
        let mut all = Vec::with_capacity(2 + args.len());
        all.extend(self.clock.args(&queue.time));
        all.extend(args);
        let run = ScriptRun { operation, script, keys: queue.keys.all(), args: &all, access };
        let mut rest = Reply::new(operation, self.client.run(&run).await?)?;
        let moment = rest.moment()?;
        self.clock.note(&queue.time, moment);
        Ok(ScriptAnswer { moment, number: rest.count()?, rest })
    }

    /// The time, of no queue. On a Cluster it is at least each time that a handle had learned when
    /// it was closed.
    pub(crate) async fn now(&self, operation: &'static str) -> Result<Moment> {
        self.time(operation, Timestamp::default()).await
    }

    /// Refuses a namespace that another version of this library laid out, and a user that lacks
    /// rights, before a script does so half-way.
    pub(crate) async fn check_layout(&self) -> Result<()> {
        let namespace = self.queues.namespace();
        let keys = [namespace.layout()];
        let args = [arg(LAYOUT), namespace.trial_channel().into_bytes()];
        let operation = "open";
        let script = &script::LAYOUT;
        let run = ScriptRun { operation, script, keys: &keys, args: &args, access: Access::Opens };
        let mut reply = Reply::new(operation, self.client.run(&run).await?)?;
        let found = reply.integer()?;
        let mut refused = Vec::new();
        while reply.len() > 0 {
            refused.push(String::from_utf8_lossy(&reply.bytes()?).into_owned());
        }
        if !refused.is_empty() {
            return Err(rights::lacking(&refused));
        }
        if found == LAYOUT {
            return Ok(());
        }
        let message = format!(
            "the namespace was written by another version of this library (layout {found}, this one has \
             {LAYOUT}); use that one, or another namespace"
        );
        Err(Error::new(ErrorKind::Unsupported, operation, message))
    }

    /// Leaves the time that this handle learned to handles that are opened later, where queues do
    /// not share a mark of time.
    pub(crate) async fn leave_time(&self) -> Result<()> {
        if self.queues.spread() == Spread::OneServer {
            return Ok(());
        }
        self.time("close", self.queues.latest(&self.clock)).await.map(drop)
    }

    async fn time(&self, operation: &'static str, mark: Timestamp) -> Result<Moment> {
        let keys = [self.queues.namespace().mark()];
        let known = self.queues.time();
        let [injected, floor] = self.clock.args(known);
        let args = [injected, floor, arg(mark.as_millis())];
        let run =
            ScriptRun { operation, script: &script::TIME, keys: &keys, args: &args, access: Access::Reads };
        let moment = Reply::new(operation, self.client.run(&run).await?)?.moment()?;
        self.clock.note(known, moment);
        Ok(moment)
    }

    /// The number of a queue, given to it if it has none: by it its lives differ from the lives of
    /// other queues.
    pub(crate) async fn number(&self, operation: &'static str, queue: &KnownQueue) -> Result<u64> {
        let number = self.register(operation, queue, true).await?;
        number.ok_or_else(|| corrupt(operation))
    }

    /// The number of a queue, if it has one.
    pub(crate) async fn find_number(
        &self,
        operation: &'static str,
        queue: &KnownQueue,
    ) -> Result<Option<u64>> {
        self.register(operation, queue, false).await
    }

    async fn register(
        &self,
        operation: &'static str,
        queue: &KnownQueue,
        is_given: bool,
    ) -> Result<Option<u64>> {
        if let Some(number) = queue.number() {
            return Ok(Some(number));
        }
        let namespace = self.queues.namespace();
        let keys = [namespace.registry(), namespace.names()];
        let args = [queue.name.as_str().as_bytes().to_vec(), arg(u8::from(is_given))];
        let run = ScriptRun {
            operation,
            script: &script::REGISTER,
            keys: &keys,
            args: &args,
            access: Access::Writes,
        };
        let answer = self.client.run(&run).await?;
        let redis::Value::Int(number) = answer else { return Err(corrupt(operation)) };
        let number = u64::try_from(number).map_err(|_| corrupt(operation))?;
        if number == 0 {
            return Ok(None);
        }
        if number >= NUMBERS_MAX {
            let message = format!("a namespace has at most {} queues; use another one", NUMBERS_MAX - 1);
            return Err(Error::new(ErrorKind::Unsupported, operation, message));
        }
        queue.set_number(number);
        Ok(Some(number))
    }
}

/// A number as scripts read it.
pub(crate) fn arg(number: impl ToString + Copy) -> Vec<u8> {
    number.to_string().into_bytes()
}
