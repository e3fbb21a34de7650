/** Client and worker for `queue serve`. `docs/service/protocol.md` of the project has the protocol. */

export { Batch, Batches } from "./batches.js";
export { Connection } from "./connection.js";
export { Complete, QueueError, RetryError, Snooze, Stopped, TerminalError } from "./errors.js";
export { JsonNumber, JsonText } from "./json.js";
export { Queue } from "./queue.js";
export { JobCancelled, JobFailed, JobMissing, JobPending, NoResult } from "./results.js";
export { Schedules } from "./schedules.js";
export { Worker } from "./worker.js";
