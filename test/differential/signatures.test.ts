// What Canton answered about keys and signatures that are wrong or unusual: ours must agree (tools/lf/signatures).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { answerAbout } from './signatures.ts'

type Recorded = [signature: string, digest: string, key: string, answer: string]

test('keys and signatures are judged as by the reference', () => {
  const recording = readFileSync(new URL('signatures.json', import.meta.url), 'utf8')
  for (const [signature, digest, key, answer] of JSON.parse(recording) as Recorded[]) {
    assert.equal(answerAbout(signature, digest, key), answer, `${signature} ${digest} ${key}`)
  }
})
