// A network that is killed while it moves a contract between participants. SQLite keeps of its log what was written
// before the kill, up to the last commit, so the log is cut after every page of every step: both participants have the
// step, or neither has.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tablesOfParticipant } from '../../src/store/core/participant-tables.ts'
import { createStore } from '../../src/store/records/create-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { readWal } from '../../src/store/sqlite/write-ahead-log.ts'
import { exercise, proposalType } from '../fixtures/ledger.ts'
import { startTestNetwork } from '../fixtures/network.ts'
import { assign, propose, reassigned, submitAs, unassign } from '../fixtures/network-moves.ts'
import { temporaryFolder } from '../fixtures/process.ts'

const file = 'ledger.sqlite'

/** What one participant's tables say about the contract. */
async function knownIn(folder: string, participant: number, contractId: string) {
  await using database = openSqlite(folder)
  const { state, contracts, reassignments, updates } = createStore(tablesOfParticipant(database, participant))
  const { end } = await state.get()
  const [contract] = await contracts.states([contractId])
  const moves = contract === undefined ? [] : await reassignments.movesOf([contract.number])
  const last = await updates.listed({ after: end - 1n, upTo: end, limit: 1 })
  return {
    place: contract && [contract.location, contract.counter, contract.archivedOffset !== undefined],
    moves: moves.map(({ of, counter }) => [of.id, counter, of.assigned !== undefined]),
    endsWithUpdate: last.length === 1,
  }
}

test('a kill at any page of a reassignment leaves it on both participants or on neither', async () => {
  await using network = await startTestNetwork({ store: 'sqlite' })
  const { node, v1, v2, s1, s2 } = network
  const [alice, bob] = [await v1.allocate('alice', s1, s2), await v2.allocate('bob', s1, s2)]
  const pages = () => readWal(fs.readFileSync(join(node.folder, `${file}-wal`)))!.frames.length
  const contractId = await propose(v1, alice, bob, s1)
  const content = fs.readFileSync(join(node.folder, file))
  const steps = [pages()]
  const left = await reassigned(v1, alice, unassign(contractId, s1, s2))
  steps.push(pages())
  const { reassignmentId } = left.events[0].JsUnassignedEvent.value
  await reassigned(v1, alice, assign(reassignmentId, s1, s2))
  steps.push(pages())
  await submitAs(v2, bob, [exercise(proposalType, contractId, 'IouProposal_Accept')])
  steps.push(pages())
  assert.ok(content.equals(fs.readFileSync(join(node.folder, file))), 'no page was written back meanwhile')

  const log = fs.readFileSync(join(node.folder, `${file}-wal`))
  const { frames, pageBytes } = readWal(log)!
  using folder = temporaryFolder()
  const seen = new Set<string>()
  for (let cut = steps[0]!; cut <= frames.length; cut += 1) {
    const at = join(folder.path, String(cut))
    fs.mkdirSync(at)
    fs.writeFileSync(join(at, file), content)
    const end = cut === frames.length ? log.length : frames[cut]!.start + (cut % pageBytes)
    fs.writeFileSync(join(at, `${file}-wal`), log.subarray(0, end))
    const [here, there] = [await knownIn(at, 1, contractId), await knownIn(at, 2, contractId)]
    assert.deepEqual(here, there, `after ${cut - steps[0]!} pages`)
    seen.add(JSON.stringify(here, (_, value) => (typeof value === 'bigint' ? Number(value) : value)))
    fs.rmSync(at, { recursive: true })
  }
  assert.equal(seen.size, steps.length, 'the contract as it was created, unassigned, assigned and archived')
  assert.ok(frames.length - steps[0]! > 3 * steps.length, 'each step has several pages')
})
