// Contract keys: a participant resolves them among the contracts that it knows.
import type { Json } from '../../both.ts'
import { createdIn, type Network } from '../../network.ts'

const keyed = '#keys-lf23:Keys:Keyed'

export async function keySession({ sandbox, pebblebox, sidebox, alice, bob, carol, second }: Network): Promise<void> {
  const on = { synchronizerId: second }
  const keyOf = (name: string) => ({ maintainers: [alice], name, maintainersFault: 'Fine', last: null })
  const create = (name: string, note: string, observers: readonly string[]) => {
    const fields = { signatories: [alice], observers, key: keyOf(name), keyFault: 'Fine', note }
    return [{ CreateCommand: { templateId: keyed, createArguments: fields } }]
  }
  const byKey = (choice: string, choiceArgument: Json) => {
    return [{ ExerciseByKeyCommand: { templateId: keyed, contractKey: keyOf('key'), choice, choiceArgument } }]
  }
  const keep = (party: string) => byKey('Keep', { controllers: [party], program: [] })
  await sandbox.submit('a key', create('key', 'older', [bob]), [alice], on)
  await pebblebox.submit('by key, on the observer’s participant', keep(bob), [bob], on)
  await sidebox.submit('by key, unknown', keep(carol), [carol], on)
  await sandbox.submit('the key again', create('key', 'newer', []), [alice], on)
  await pebblebox.submit('by key, where the newer one is unknown', keep(bob), [bob], on)
  const contractId = createdIn(await sandbox.submit('another key', create('other', 'other', [bob]), [alice], on))
  const program = [{ tag: 'Query', value: { count: '5', key: keyOf('key') } }]
  const query = { templateId: keyed, contractId, choice: 'Keep', choiceArgument: { controllers: [bob], program } }
  await pebblebox.submit('all of the key', [{ ExerciseCommand: query }], [bob], on)
  await sandbox.submit('the newest is archived', byKey('Archive', {}), [alice], on)
}
