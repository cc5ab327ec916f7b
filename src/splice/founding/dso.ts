// Founding, third step: the DSO, by one exercise of Splice's own bootstrap choice.
import { templates } from '../ledger/templates.ts'
import type { SpliceRelease } from '../packages/releases.ts'
import { bootstrapArguments } from './dso-configuration.ts'
import type { Validator } from './parties.ts'

/** The choice creates everything or nothing, so the rules of the DSO say whether it has been exercised. */
export async function foundDso(
  sv: Validator,
  dso: string,
  synchronizerId: string,
  release: SpliceRelease,
): Promise<void> {
  const { participant, party, participantId } = sv
  const rules = await participant.contracts(templates.dsoRules, [dso])
  if (rules.length > 0) return
  const now = await participant.time()
  await participant.submit({
    actAs: [dso],
    synchronizerId,
    commandId: 'found-dso',
    commands: [
      {
        CreateAndExerciseCommand: {
          templateId: templates.dsoBootstrap,
          createArguments: bootstrapArguments({ dso, sv: party, participantId, synchronizerId, release, now }),
          choice: 'DsoBootstrap_Bootstrap',
          choiceArgument: {},
        },
      },
    ],
  })
}
