// pg-boss. Its workers are told of jobs by NOTIFY only where they are asked to be.
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { handled, job, main, url } from './common.mjs'

const QUEUE = 'peers'
const TUNED = { batchSize: 500, burstWhenBatchFull: true, localConcurrency: 2, pollingIntervalSeconds: 0.5 }

main(async ({ isTuned }) => {
  const pool = new pg.Pool({ connectionString: url })
  const boss = new PgBoss({ connectionString: url, ...(isTuned && { useListenNotify: true, max: 20 }) })
  boss.on('error', error => console.error(error))
  await boss.start()
  await boss.createQueue(QUEUE, isTuned ? { notify: true } : {})
  return {
    enqueue: n => boss.send(QUEUE, job(n)),
    enqueueMany: (first, count) =>
      boss.insert(QUEUE, Array.from({ length: count }, (_, i) => ({ data: job(first + i) }))),
    startWorker: isTuned => boss.work(QUEUE, isTuned ? TUNED : {}, async jobs => {
      for (const { data } of jobs) handled(data.n)
    }),
    async unfinished () {
      const sql = "SELECT count(*) FROM pgboss.job WHERE name = $1 AND state <> 'completed'"
      const { rows } = await pool.query(sql, [QUEUE])
      return Number(rows[0].count)
    },
    settings: isTuned => isTuned
      ? 'batches of 500, fetched on while they are full, 2 of them at once, NOTIFY, poll every 0.5 s, 20 connections'
      : 'batches of 1, poll every 2 s'
  }
})
