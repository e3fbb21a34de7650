// @platformatic/job-queue. Producers and workers share one queue object, as in its README.
import { FileStorage, MemoryStorage, PgStorage, Queue, RedisStorage } from '@platformatic/job-queue'
import { handled, job, main, path, url } from './common.mjs'

const CONCURRENCY = { memory: 50, files: 16, postgres: 50, redis: 50 }
const STATES_AT_ONCE = 1000
const WAIT_MAX_MS = 30_000

const storages = {
  memory: () => new MemoryStorage(),
  files: () => new FileStorage({ basePath: path('jobs') }),
  postgres: () => new PgStorage({ connectionString: url }),
  redis: () => new RedisStorage({ url })
}

const id = n => `job-${n}`

main(async ({ store, isTuned }) => {
  const storage = storages[store]()
  const queue = new Queue({ storage, ...(isTuned && { concurrency: CONCURRENCY[store] }) })
  queue.on('error', error => console.error(error))
  await queue.start()
  return {
    enqueue: n => queue.enqueue(id(n), job(n)),
    async call (n) {
      const result = await queue.enqueueAndWait(id(n), job(n), { timeout: WAIT_MAX_MS })
      if (result !== n) throw new Error(`the result of ${n} is ${result}`)
    },
    async startWorker () {
      queue.execute(async ({ payload }) => {
        handled(payload.n)
        return payload.n
      })
    },
    async unfinished (jobs) {
      let unfinished = 0
      for (let first = 0; first < jobs; first += STATES_AT_ONCE) {
        const ids = Array.from({ length: Math.min(STATES_AT_ONCE, jobs - first) }, (_, i) => id(first + i))
        const states = await storage.getJobStates(ids)
        for (const state of states.values()) if (!String(state).startsWith('completed')) unfinished++
      }
      return unfinished
    },
    settings: isTuned => `concurrency ${isTuned ? CONCURRENCY[store] : 1}; results kept for an hour`
  }
})
