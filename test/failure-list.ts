// The failed tests of a run, each as the sentence that its suites and its title make: "a body that is empty says so".
// Node lists titles alone, which say little without their suites.
import { relative } from 'node:path'

/** What Node reports of a test or a suite when it has ended; tests come before the suite they are in. */
export type Ended = {
  readonly name: string
  readonly nesting: number
  readonly file?: string | undefined
  /** Only of those that failed. */
  readonly failureType?: string | undefined
}

export type FailureList = {
  passed(ended: Ended): void
  failed(ended: Ended): void
  /** One line for each failed test, with its file. */
  lines(): string[]
}

type Failure = { readonly file: string; readonly nesting: number; readonly sentence: string }

export function createFailureList(root: string): FailureList {
  let failures: Failure[] = []

  /** Adds its title to those of the tests that it contains. */
  function passed({ name, nesting, file = '' }: Ended): void {
    failures = failures.map((failure) =>
      failure.file === file && failure.nesting === nesting + 1
        ? { file, nesting, sentence: `${name} ${failure.sentence}` }
        : failure,
    )
  }

  return {
    passed,
    failed(ended) {
      const { name, nesting, file = '', failureType } = ended
      passed(ended)
      if (failureType !== 'subtestsFailed') failures.push({ file, nesting, sentence: name })
    },
    lines: () => failures.map(({ file, sentence }) => `${relative(root, file)}: ${sentence}`),
  }
}
