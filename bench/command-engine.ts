// What the engine does for a command, by stage. In this process, because a confined thread can write no profile.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { type Profile, stagesOf } from './command-stages.ts'

/** The shares of the stages, for the sources of a checkout. */
export async function engineStages(checkout: string, commands: number): Promise<Map<string, number>> {
  const interpret = await interpretationOf(join(checkout, 'src'), checkout)
  for (let count = 0; count < commands; count += 1) interpret()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 500 })
  await session.post('Profiler.start')
  for (let count = 0; count < commands; count += 1) interpret()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return stagesOf(profile as Profile, { fromUs: 0, toUs: Number.POSITIVE_INFINITY })
}

async function interpretationOf(source: string, checkout: string): Promise<() => void> {
  const { createInterpreter } = await import(join(source, 'engine/interpreter.ts'))
  const { serve } = await import(join(source, 'events/format/transaction-writing.ts'))
  const { packRequest, packResult, unpackRequest } = await import(
    join(source, 'engine/pool/interpretation-messages.ts')
  )
  const { ledgerOf } = await import(join(checkout, 'test/support/engine/ledger.ts'))
  const { decodeDar } = await import(join(source, 'lf/dar/dar.ts'))
  const { main, packages } = decodeDar(readFileSync(join(checkout, 'packages/quickstart/quickstart.dar')))
  const interpreter = createInterpreter(ledgerOf({ dalfs: packages }))
  const fingerprint = `1220${randomBytes(32).toString('hex')}`
  const [issuer, owner] = [`issuer::${fingerprint}`, `owner::${fingerprint}`]
  const ledgerTime = BigInt(Date.now()) * 1000n
  const request = {
    commands: [
      {
        kind: 'create-and-exercise',
        templateId: `${main.package.id}:Iou:IouProposal`,
        createArguments: { iou: { issuer, owner, amount: '100.0', currency: 'EUR', observers: [] } },
        choice: 'IouProposal_Accept',
        choiceArgument: {},
      },
    ],
    ...{ actAs: [issuer, owner], readAs: [], contracts: [], prefetchKeys: [] },
    ...{ ledgerTime, preparationTime: ledgerTime, seed: randomBytes(32), participantId: 'participant' },
  }
  const sent = packRequest(request)
  return () => {
    const received = unpackRequest(sent)
    const { transaction } = interpreter.interpret(received, { stepsMax: 1e8 })
    packResult({ ...serve(transaction, received.ledgerTime), traces: [], prepared: undefined })
  }
}
