//! `verify`: dumps each queue in one script and checks the dump.

use crate::{
    audit::{Dump, audit},
    client::{Access, ScriptRun},
    handle::{HandleState, ScriptAnswer},
    reply::{Reply, corrupt},
    script,
};
use queue_core::{QueueName, Result};
use std::{collections::HashSet, str};

/// More than a namespace has.
const QUEUES_MAX: usize = 1 << 20;

impl HandleState {
    /// Reads everything, queue by queue, each as it is at one moment.
    pub(crate) async fn verify(&self) -> Result<Vec<String>> {
        let mut findings = Vec::new();
        // Nothing is ever taken out, so what is in order by now was in the registry before, or is
        // newer.
        let registered = self.registered().await?;
        let ordered: HashSet<QueueName> = self.names("verify", "", QUEUES_MAX).await?.into_iter().collect();
        let unlisted = registered.iter().filter(|(name, _)| !ordered.contains(name));
        findings.extend(unlisted.map(|(name, _)| format!("{name:?}: it is missing in the list of queues")));
        for (name, number) in registered {
            let queue = self.queues.get(&name);
            let ScriptAnswer { moment, rest, .. } =
                self.call("verify", &script::DUMP, &queue, Access::Audits, Vec::new()).await?;
            let dump = Dump::read(rest, name, number, moment.now)?;
            findings.extend(audit(&dump).into_iter().map(|finding| format!("{:?}: {finding}", dump.queue)));
        }
        Ok(findings)
    }

    async fn registered(&self) -> Result<Vec<(QueueName, u64)>> {
        let keys = [self.queues.namespace().registry()];
        let run = ScriptRun {
            operation: "verify",
            script: &script::QUEUES,
            keys: &keys,
            args: &[],
            access: Access::Reads,
        };
        let mut reply = Reply::new("verify", self.client.run(&run).await?)?;
        let mut queues = Vec::new();
        while reply.len() > 0 {
            let name = reply.bytes()?;
            let name = str::from_utf8(&name).ok().and_then(|name| QueueName::new(name).ok());
            queues.push((name.ok_or_else(|| corrupt("verify"))?, reply.count()?));
        }
        Ok(queues)
    }
}
