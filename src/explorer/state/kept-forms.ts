// What is in the forms that create, exercise and run scripts, so that it survives Back, a reload and a look at another page. It stays in
// its tab, and ends with it or with the session.
import type { Command } from '../api/acting.ts'
import type { Json } from '../api/wire.ts'

export type KeptForm = {
  readonly value: Json
  /** What was typed as JSON instead, if that is shown. */
  readonly text?: string | undefined
  /** Undefined if the form finds out by itself who acts. */
  readonly actAs?: readonly string[] | undefined
}

type Stored = KeptForm & { readonly keptAtMs: number }

const prefix = 'tallystick-form '
const formsMax = 20
/** A longer one is not kept. */
const lengthMax = 100_000

/** `like` is the contract that the form began with, if any. */
export function createFormKey(template: string, like = ''): string {
  return `create ${template} ${like}`.trimEnd()
}

export function exerciseFormKey(owner: string, contractId: string, choice: string): string {
  return `exercise ${owner} ${contractId} ${choice}`
}

export function scriptFormKey(packageId: string, script: string): string {
  return `script ${packageId} ${script}`
}

export function keptForm(key: string): KeptForm | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + key) ?? '') as Stored
  } catch {
    return undefined
  }
}

export function keepForm(key: string, form: KeptForm): void {
  const text = JSON.stringify({ ...form, keptAtMs: Date.now() } satisfies Stored)
  if (text.length > lengthMax) return dropForm(key)
  sessionStorage.setItem(prefix + key, text)
  const others = keptKeys()
  if (others.length <= formsMax) return
  const ages = others.map((one) => [one, (keptForm(one) as Stored | undefined)?.keptAtMs ?? 0] as const)
  const [oldest] = ages.reduce((one, other) => (other[1] < one[1] ? other : one))
  dropForm(oldest)
}

export function dropForm(key: string): void {
  sessionStorage.removeItem(prefix + key)
}

export function dropAllForms(): void {
  for (const key of keptKeys()) dropForm(key)
}

function keptKeys(): readonly string[] {
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
}

/** The form of a refused command opens with what was refused. */
export function tryAgain({ command, actAs }: { readonly command: Command; readonly actAs: readonly string[] }): void {
  if ('CreateCommand' in command) {
    const { templateId, createArguments } = command.CreateCommand
    keepForm(createFormKey(templateId), { value: createArguments, actAs })
  } else if ('ExerciseCommand' in command) {
    const { templateId, contractId, choice, choiceArgument } = command.ExerciseCommand
    keepForm(exerciseFormKey(templateId, contractId, choice), { value: choiceArgument, actAs })
  }
}
