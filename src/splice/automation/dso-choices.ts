// Exercises choices of the rules. There is one super validator, so what several would confirm first is exercised directly.
import { templates } from '../ledger/templates.ts'
import type { AutomationContext } from './automation.ts'

/** A choice of the DSO on the rules of Amulet. */
export async function exerciseRules(context: AutomationContext, choice: string, argument: object): Promise<void> {
  const { network, dso } = context
  const rules = (await dso.only(templates.amuletRules))!
  await network.sv.participant.submit({
    actAs: [network.dso],
    commands: [exerciseCommand(templates.amuletRules, rules.contractId, choice, argument)],
  })
}

/** A choice of the super validator on the rules of the DSO, most of which need the rules of Amulet. */
export async function exerciseDsoRules(context: AutomationContext, choice: string, argument: object): Promise<void> {
  const { network, dso } = context
  const amuletRules = (await dso.only(templates.amuletRules))!
  const dsoRules = (await dso.only(templates.dsoRules))!
  const { party, participant } = network.sv
  await participant.submit({
    actAs: [party],
    readAs: [network.dso],
    commands: [
      exerciseCommand(templates.dsoRules, dsoRules.contractId, choice, {
        amuletRulesCid: amuletRules.contractId,
        sv: party,
        ...argument,
      }),
    ],
  })
}

export function exerciseCommand(
  templateId: string,
  contractId: string,
  choice: string,
  choiceArgument: object,
): object {
  return { ExerciseCommand: { templateId, contractId, choice, choiceArgument } }
}
