// BullMQ for Node.
import { Queue, QueueEvents, Worker } from 'bullmq'
import { handled, job, main, redis } from './common.mjs'

const QUEUE = 'peers'
const KIND = 'job'
const CONCURRENCY = 50
const UNFINISHED = ['wait', 'active', 'delayed', 'prioritized', 'failed']

main(async ({ waitsForResults }) => {
  const connection = redis()
  const queue = new Queue(QUEUE, { connection })
  await queue.waitUntilReady()
  let events
  if (waitsForResults) {
    events = new QueueEvents(QUEUE, { connection })
    events.setMaxListeners(0)
    await events.waitUntilReady()
  }
  return {
    enqueue: n => queue.add(KIND, job(n)),
    enqueueMany: (first, count) =>
      queue.addBulk(Array.from({ length: count }, (_, i) => ({ name: KIND, data: job(first + i) }))),
    async call (n) {
      const added = await queue.add(KIND, job(n))
      const result = await added.waitUntilFinished(events)
      if (result !== n) throw new Error(`the result of ${n} is ${result}`)
    },
    async startWorker (isTuned) {
      const handle = async ({ data }) => {
        handled(data.n)
        return data.n
      }
      const worker = new Worker(QUEUE, handle, { connection, ...(isTuned && { concurrency: CONCURRENCY }) })
      worker.on('error', error => console.error(error))
      await worker.waitUntilReady()
    },
    async unfinished () {
      const counts = await queue.getJobCounts(...UNFINISHED)
      return Object.values(counts).reduce((sum, some) => sum + some, 0)
    },
    settings: isTuned => `concurrency ${isTuned ? CONCURRENCY : 1}; finished jobs kept`
  }
})
