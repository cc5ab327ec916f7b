// tallystick create: creates a contract from the words of the command line.
import type { Command } from '../command.ts'
import { templateNamed } from '../named-templates.ts'
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

export const createCommand: Command = {
  summary: 'create a contract',
  usage: 'tallystick create TEMPLATE KEY=VALUE… [options]',
  operands: ['TEMPLATE'],
  furtherOperands: 'KEY=VALUE',
  options: oneCommandOptions,
  notes: `TEMPLATE is PACKAGE:MODULE:TEMPLATE, or only its end if that is clear: Iou.
${wordsNotes}`,
  async run(flags: OneCommandFlags, surroundings, [written, ...words]) {
    const node = await runningNode(flags, surroundings.environment)
    const { id, template, types } = await templateNamed(written!, node)
    const createArguments = await valueFromWords(words, template.payload, types.types, namesAt(node))
    const command = { CreateCommand: { templateId: id, createArguments } }
    const required = partiesAt(template.signatories, { contract: createArguments })
    await runOneCommand(command, { required, concerned: partiesIn(createArguments) }, flags, node, surroundings)
  },
}
