// A thread that handles packages has no access to anything outside itself, whatever it tries.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { confinedThread } from './thread-sandbox.ts'

const attempting = new URL('../../test/support/base/confined-thread.ts', import.meta.url)

async function attemptAll(folder: string, options: object): Promise<[name: string, outcome: string][]> {
  const workerData = { file: fileURLToPath(import.meta.url), folder }
  const worker = new Worker(attempting, { ...options, workerData })
  const [outcomes] = await once(worker, 'message')
  await worker.terminate()
  return outcomes
}

test('a confined thread has no access to files, processes, sockets, environment, add-ons or modules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'confined-'))
  try {
    const outcomes = await attemptAll(folder, confinedThread)
    assert.ok(outcomes.length > 45)
    assert.deepEqual(
      outcomes.filter(([, outcome]) => !outcome.startsWith('refused: ')),
      [],
    )
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a thread started without the permission model cannot be confined', async () => {
  await assert.rejects(attemptAll('', { env: {} }), /not started with the permission model/)
})
