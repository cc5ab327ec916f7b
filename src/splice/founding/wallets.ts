// Founding, last step: each validator gets its licence from the DSO, and the wallet of its own user. Onboarding a user later
// installs a wallet in the same way.
import { templates } from '../ledger/templates.ts'
import type { Validator } from './parties.ts'

export type WalletUser = { readonly userName: string; readonly party: string }

export async function licenseValidator(
  sv: Validator,
  dso: string,
  validator: Validator,
  version: string,
): Promise<void> {
  const licences = await sv.participant.contracts(templates.validatorLicense, [dso])
  if (licences.some(({ payload }) => payload.validator === validator.party)) return
  const [rules] = await sv.participant.contracts(templates.dsoRules, [dso])
  await sv.participant.submit({
    actAs: [sv.party],
    readAs: [dso],
    commandId: `license-${validator.profile.name}`,
    commands: [
      {
        ExerciseCommand: {
          templateId: templates.dsoRules,
          contractId: rules!.contractId,
          choice: 'DsoRules_OnboardValidator',
          choiceArgument: { sponsor: sv.party, validator: validator.party, version, contactPoint: '' },
        },
      },
    ],
  })
}

/** The user may use a wallet from now on, and the validator collects rewards for it. */
export async function installWallet(
  { participant, party: validator }: Validator,
  dso: string,
  user: WalletUser,
): Promise<void> {
  const { userName, party } = user
  const installs = await participant.contracts(templates.walletAppInstall, [validator])
  const rights = await participant.contracts(templates.validatorRight, [validator])
  const hasWallet = installs.some(({ payload }) => payload.endUserName === userName)
  const hasRight = rights.some(({ payload }) => payload.user === party)
  const commands = [
    ...(hasWallet ? [] : [createCommand(templates.walletAppInstall, walletArguments(dso, validator, user))]),
    ...(hasRight ? [] : [createCommand(templates.validatorRight, { dso, user: party, validator })]),
  ]
  if (commands.length === 0) return
  await participant.submit({ actAs: [...new Set([validator, party])], commands })
}

function walletArguments(dsoParty: string, validatorParty: string, { userName, party }: WalletUser): object {
  return { dsoParty, validatorParty, endUserName: userName, endUserParty: party }
}

function createCommand(templateId: string, createArguments: object): object {
  return { CreateCommand: { templateId, createArguments } }
}
