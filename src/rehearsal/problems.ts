// What breaks, by template: problems that differ only in ids are one problem, with its first contracts as examples.
import type { ErrorAnswer } from '../base/error-answer.ts'
import { errorWords } from '../base/error-words.ts'

export type Problem = {
  readonly message: string
  contracts: number
  /** Ids of the first ones. */
  readonly examples: string[]
}

export type TemplateOutcome = {
  /** `#package-name:Module:Template`. */
  readonly template: string
  contracts: number
  broken: number
  readonly problems: Problem[]
}

const examplesMax = 3
/** Different problems of a template; what comes after them is only counted. */
const problemsMax = 50

export type Outcomes = {
  /** A contract was read; `message` says why that failed. */
  note(template: string, contractId: string, message: string | undefined): void
  /** By template, in order. */
  list(): readonly TemplateOutcome[]
}

export function createOutcomes(): Outcomes {
  const outcomes = new Map<string, TemplateOutcome>()
  return {
    note(template, contractId, message) {
      const outcome = outcomes.get(template) ?? { template, contracts: 0, broken: 0, problems: [] }
      outcomes.set(template, outcome)
      outcome.contracts += 1
      if (message === undefined) return
      outcome.broken += 1
      const common = withoutIds(message)
      const known = outcome.problems.find((problem) => problem.message === common)
      if (known === undefined) {
        if (outcome.problems.length < problemsMax) {
          outcome.problems.push({ message: common, contracts: 1, examples: [contractId] })
        }
        return
      }
      known.contracts += 1
      if (known.examples.length < examplesMax) known.examples.push(contractId)
    },
    list: () => [...outcomes.values()].sort((one, other) => (one.template < other.template ? -1 : 1)),
  }
}

/** What breaks a contract, in words that other contracts with the same problem share: without ids and values. */
export function problemOf({ code, cause, context }: ErrorAnswer): string {
  if (code === 'INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED') {
    const changed = computed.filter(
      (name) => valueIn(cause, `original ${name}`) !== valueIn(cause, `recomputed ${name}`),
    )
    if (changed.length > 0) return `${code}: the new version computes other ${changed.join(' and ')}`
  }
  const common = values.reduce((text, value) => text.replace(value, ''), cause)
  return errorWords({ code, cause: common, hint: undefined, context })
}

/** Parts of causes that tell what a contract says. */
const values = [
  / and value: .*?(?=\s+Expected type: )/s,
  /\s+Actual value: .*?(?=\s+The contract is )/s,
  /\s+(Its|The) contract argument is.*/s,
]

/** As the engine names them. */
const computed = ['signatories', 'observers', 'maintainers', 'key']

function valueIn(cause: string, name: string): string | undefined {
  return new RegExp(`${name} (?:is|are) (.*?)\\s*(?=(?:original|recomputed|target) |$)`, 's').exec(cause)?.[1]
}

/** Ids of contracts, and hashes. */
function withoutIds(message: string): string {
  return message.replaceAll(/\b[0-9a-f]{64,}\b/g, '…')
}
