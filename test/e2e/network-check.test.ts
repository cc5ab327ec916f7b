// The ledger of a network after much has happened: nothing is damaged on any participant, also once one has pruned, and what
// is damaged is found.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { checkLedger } from '../../src/node/maintenance.ts'
import { keysDar } from '../fixtures/ledger.ts'
import { startEffectsNetwork } from '../fixtures/network-effects.ts'
import { testSettings } from '../fixtures/node.ts'
import { temporaryFolder } from '../fixtures/process.ts'
import { fc, testSeed } from '../fixtures/seed.ts'
import { sawPayload } from '../simulation/network/model.ts'
import { networkOptions, workloads } from '../simulation/network/set-up.ts'
import { createSimulation } from '../simulation/network/simulation.ts'

test('the check finds every participant of a network intact, and damage of any', async () => {
  await using network = await startEffectsNetwork({ ...networkOptions, store: 'sqlite' }, keysDar)
  const simulation = createSimulation(network)
  const { node, v2 } = network
  const [first, second] = fc.sample(workloads, { seed: testSeed, numRuns: 2 }) as [number[][], number[][]]
  const before = await simulation.run(first)
  const prunedUpTo = await v2.end()
  await simulation.run(second)
  await v2.ask('/v2/pruning', { pruneUpTo: prunedUpTo })
  await node.restart() // Moves everything into one file.

  const archived = before.contracts.filter(
    (contract) => contract.archivedBy !== undefined && sawPayload(before, contract, 2),
  )
  for (const { id: contractId, stakeholders } of archived) {
    const answer = await v2.post('/v2/contracts/contract-by-id', { contractId, queryingParties: [stakeholders[0]] })
    assert.equal(answer.status, 404, 'a pruned contract is not told of')
  }
  using folder = temporaryFolder()
  fs.cpSync(node.folder, folder.path, { recursive: true })
  assert.deepEqual(await problemsIn(folder.path), [])
  {
    using database = new DatabaseSync(join(folder.path, 'ledger.sqlite'))
    database.exec('DELETE FROM p3_update_parties WHERE update_offset = (SELECT max(update_offset) FROM p3_updates)')
  }
  const problems = await problemsIn(folder.path)
  assert(problems.length > 0)
  for (const problem of problems) assert.match(problem, /^participant sidebox: .*update/)
})

async function problemsIn(data: string): Promise<string[]> {
  const problems: string[] = []
  const findings = { problem: (text: string) => void problems.push(text), progress: () => undefined }
  await checkLedger(testSettings({ store: { kind: 'sqlite', data } }), findings)
  return problems
}
