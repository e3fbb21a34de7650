// The loops in which queues for Node are measured: the same as in ../common, with the same command
// line, environment and report.
//
// A peer is an object with `enqueue`, `startWorker`, `unfinished` and `settings`, and, where its
// library has them, `enqueueMany` and `call`.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const IDLE_MS = 400
const BATCH = 1000
const WINDOW_S = 1
const PRODUCERS = 64
const PRELOADERS = 8
const CALLERS = 50
const CALLS = 10
const PAUSE_MS = [1, 5]
// No measurement makes so many jobs.
const NUMBERS_MAX = 1 << 25

const place = process.env.PEER_PLACE ?? ''

export const url = place
export const path = name => join(place, name)
export const job = n => ({ n, to: 'user@example.com', subject: 'Welcome', body: 'x'.repeat(36) })

export function redis () {
  const { hostname, port, username, password, pathname } = new URL(place)
  const db = Number(pathname.slice(1) || 0)
  return { host: hostname, port: Number(port || 6379), username, password: decodeURIComponent(password), db }
}

const seen = new Uint8Array(NUMBERS_MAX)
let count = 0
let repeated = 0
let lastStart = 0
let wake

// The handler of every peer calls this first, and does nothing else.
export function handled (n) {
  lastStart = performance.now()
  if (seen[n]) repeated++
  seen[n] = 1
  count++
  wake?.()
}

// What one measurement needs to know; `main` calls `open` with it.
function setup () {
  const [store, workload, profile, jobs, seconds] = process.argv.slice(2)
  if (!seconds) throw new Error('usage: STORE WORKLOAD default|tuned JOBS SECONDS, with PEER_PLACE set')
  const isTuned = profile === 'tuned'
  const waitsForResults = workload.startsWith('call')
  return { store, workload, isTuned, waitsForResults, jobs: Number(jobs), cap: Number(seconds) }
}

const since = start => (performance.now() - start) / 1000
const rate = (jobs, start) => ({ rate: jobs / since(start), jobs, seconds: since(start), notes: [] })

function latencies (samples, start) {
  samples.sort((a, b) => a - b)
  const quantile = part => samples[Math.max(Math.ceil(samples.length * part), 1) - 1]
  const report = { jobs: samples.length, seconds: since(start), notes: [] }
  return samples.length > 0 ? { ...report, p50_ms: quantile(0.5), p99_ms: quantile(0.99) } : report
}

// Whether a promise is kept in time; one that is broken in time is an error.
async function inTime (promise, start, cap) {
  let timer
  const late = new Promise(resolve => { timer = setTimeout(resolve, Math.max(cap - since(start), 0) * 1000, false) })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

// Jobs numbered from zero by several producers; the answer is how many calls came back in time.
async function enqueueBy (peer, producers, jobs, start, cap) {
  let next = 0
  let calls = 0
  const produce = async () => {
    while (next < jobs && since(start) < cap) {
      await peer.enqueue(next++)
      calls++
    }
  }
  const all = Promise.all(Array.from({ length: producers }, produce))
  return { calls: () => calls, isOver: await inTime(all, start, cap + 5) }
}

async function checked (peer, jobs, start) {
  const report = rate(jobs, start)
  const stored = await peer.unfinished(jobs)
  if (stored !== jobs) report.notes.push(`the store shows ${stored} of ${jobs} jobs`)
  return report
}

async function preload (peer, jobs) {
  if (peer.enqueueMany) {
    for (let first = 0; first < jobs; first += BATCH) await peer.enqueueMany(first, Math.min(BATCH, jobs - first))
  } else {
    const { isOver } = await enqueueBy(peer, PRELOADERS, jobs, performance.now(), 40)
    if (!isOver) throw new Error('enqueue does not come back')
  }
  return await peer.unfinished(jobs)
}

async function drain (peer, { isTuned, jobs, cap }) {
  const stored = await preload(peer, jobs)
  const start = performance.now()
  await peer.startWorker(isTuned)
  let unfinished
  for (;;) {
    while (count < jobs && since(start) < cap) await sleep(1)
    unfinished = await peer.unfinished(jobs)
    if (unfinished === 0 || since(start) >= cap) break
    await sleep(4)
  }
  const report = rate(Math.max(stored - unfinished, 0), start)
  if (stored !== jobs) report.notes.push(`the store showed ${stored} of ${jobs} jobs`)
  if (unfinished > 0) report.notes.push(`not all of ${stored} jobs within ${cap} s`)
  return report
}

async function enqueueSeq (peer) {
  const start = performance.now()
  let jobs = 0
  while (since(start) < WINDOW_S) await peer.enqueue(jobs++)
  return await checked(peer, jobs, start)
}

async function enqueueC64 (peer) {
  const start = performance.now()
  const { calls, isOver } = await enqueueBy(peer, PRODUCERS, Infinity, start, WINDOW_S)
  if (!isOver) throw new Error(`after ${calls()} calls no call came back any more`)
  return await checked(peer, calls(), start)
}

async function enqueueBatch (peer) {
  if (!peer.enqueueMany) return { not_offered: true }
  const start = performance.now()
  let jobs = 0
  while (since(start) < WINDOW_S) {
    await peer.enqueueMany(jobs, BATCH)
    jobs += BATCH
  }
  return await checked(peer, jobs, start)
}

async function pickup (peer, { isTuned, jobs, cap }) {
  await peer.startWorker(isTuned)
  await sleep(IDLE_MS)
  const start = performance.now()
  const samples = []
  const notes = []
  for (let n = 0; n < jobs && since(start) < cap; n++) {
    const called = new Promise(resolve => { wake = resolve })
    const asked = performance.now()
    await peer.enqueue(n)
    if (!await inTime(called, start, cap)) {
      notes.push(`${samples.length} jobs were picked up within ${cap} s`)
      break
    }
    samples.push(lastStart - asked)
    await sleep(PAUSE_MS[0] + Math.random() * (PAUSE_MS[1] - PAUSE_MS[0]))
  }
  return { ...latencies(samples, start), notes }
}

async function call (peer, { isTuned, jobs, cap }) {
  if (!peer.call) return { not_offered: true }
  await peer.startWorker(isTuned)
  await sleep(IDLE_MS)
  const start = performance.now()
  const samples = []
  for (let n = 0; n < jobs; n++) {
    const asked = performance.now()
    if (!await inTime(peer.call(n), start, cap)) break
    samples.push(performance.now() - asked)
  }
  const report = latencies(samples, start)
  if (samples.length < jobs) report.notes.push(`${samples.length} calls came back within ${cap} s`)
  return report
}

async function callC50 (peer, { isTuned, jobs, cap }) {
  if (!peer.call) return { not_offered: true }
  await peer.startWorker(isTuned)
  await sleep(IDLE_MS)
  const calls = jobs * CALLS
  const start = performance.now()
  let next = 0
  let answers = 0
  const caller = async () => {
    while (next < calls) {
      if (!await inTime(peer.call(next++), start, cap)) return
      answers++
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  const report = rate(answers, start)
  if (answers < calls) report.notes.push(`${answers} of ${calls} calls came back within ${cap} s`)
  return report
}

const WORKLOADS = {
  drain,
  enqueue_seq: enqueueSeq,
  enqueue_c64: enqueueC64,
  enqueue_batch: enqueueBatch,
  pickup,
  call,
  call_c50: callC50
}

// Makes one measurement, prints the report and ends the process, whatever still runs.
export async function main (open) {
  const report = { jobs: 0, seconds: 0, settings: '', notes: [] }
  try {
    const asked = setup()
    const peer = await open(asked)
    report.settings = peer.settings(asked.isTuned)
    Object.assign(report, await WORKLOADS[asked.workload](peer, asked))
  } catch (error) {
    report.error = String(error?.message || error)
  }
  report.notes ??= []
  if (repeated > 0) report.notes.push(`${repeated} jobs were handled twice`)
  writeSync(1, JSON.stringify(report) + '\n')
  process.exit(0)
}
