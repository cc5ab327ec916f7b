// tallystick exercise: exercises a choice of a contract, from the words of the command line.
import type { Command } from '../command.ts'
import { contractAt } from '../contract-events.ts'
import { shownTemplate } from '../ledger-rows.ts'
import { choiceNamed, templateNamed } from '../named-templates.ts'
import {
  namesAt,
  type OneCommandFlags,
  oneCommandOptions,
  partiesAt,
  partiesIn,
  runOneCommand,
  wordsNotes,
} from '../one-command.ts'
import { runningNode } from '../running-node.ts'
import { valueFromWords } from '../typed-values.ts'

export const exerciseCommand: Command = {
  summary: 'exercise a choice of a contract',
  usage: 'tallystick exercise CONTRACT CHOICE [KEY=VALUE…] [options]',
  operands: ['CONTRACT', 'CHOICE'],
  furtherOperands: 'KEY=VALUE',
  options: oneCommandOptions,
  notes: `CONTRACT is its id, or the beginning of it. CHOICE may be one of an interface.
${wordsNotes}`,
  async run(flags: OneCommandFlags, surroundings, [written, choiceName, ...words]) {
    const node = await runningNode(flags, surroundings.environment)
    const names = namesAt(node)
    const contractId = await names.contract(written!)
    const { created } = await contractAt(contractId, flags['act-as'] ?? [], node)
    const template = await templateNamed(shownTemplate(created), node)
    const { templateId, choice } = choiceNamed(choiceName!, template)
    const choiceArgument = await valueFromWords(words, choice.argument, template.types.types, names)
    const command = { ExerciseCommand: { templateId, contractId, choice: choice.name, choiceArgument } }
    const { createArgument: contract, signatories, observers } = created
    const required = partiesAt(choice.controllers, { contract, argument: choiceArgument, signatories })
    const concerned = [...new Set([...signatories, ...observers, ...partiesIn([contract, choiceArgument])])]
    await runOneCommand(command, { required, concerned }, flags, node, surroundings)
  },
}
