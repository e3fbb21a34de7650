// Graphile Worker for Node. It keeps no results.
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import pg from 'pg'
import { handled, job, main, url } from './common.mjs'

const KIND = 'job'
const TUNED = {
  concurrentJobs: 24,
  maxPoolSize: 26,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0
}

main(async () => {
  const pool = new pg.Pool({ connectionString: url })
  const utils = await makeWorkerUtils({ pgPool: pool })
  await utils.migrate()
  return {
    enqueue: n => utils.addJob(KIND, job(n)),
    enqueueMany: (first, count) =>
      utils.addJobs(Array.from({ length: count }, (_, i) => ({ identifier: KIND, payload: job(first + i) }))),
    startWorker: isTuned => run({
      taskList: { [KIND]: async ({ n }) => handled(n) },
      noHandleSignals: true,
      // By default each job is a line on the console.
      ...(isTuned && { logger: new Logger(() => () => {}) }),
      preset: { worker: { connectionString: url, ...(isTuned && TUNED) } }
    }),
    async unfinished () {
      const { rows } = await pool.query('SELECT count(*) FROM graphile_worker._private_jobs')
      return Number(rows[0].count)
    },
    settings: isTuned => isTuned
      ? '24 jobs at once, local queue of 500, settles gathered, 26 connections, no log; finished jobs removed'
      : '1 job at once, NOTIFY, a line of log for each; finished jobs removed'
  }
})
