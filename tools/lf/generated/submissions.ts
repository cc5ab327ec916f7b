// Compares random submissions over the test packages with the reference.
//
//   submissions.ts write FIRST COUNT OUT.json     the cases of the sequences FIRST, FIRST + 1, …
//   submissions.ts compare RECORDING              exits 1 and says what differs
//   submissions.ts record RECORDING FILE COUNT    a digest of each outcome of the first COUNT sequences, for npm test
//
// RECORDING is what `Main record` makes of OUT.json (see README.md).
import { readFileSync, writeFileSync } from 'node:fs'
import { openLedger } from '../../../test/differential/generated/submission-packages.ts'
import type { Recorded } from '../../../test/differential/recorded-values.ts'
import { inLargeStack } from './in-large-stack.ts'
import { asciiJson, compareRecordings, digestsOf } from './recordings.ts'

await inLargeStack(import.meta.url, ([command, first, second, third]) => {
  const recorded = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
  if (command === 'write') {
    const { recording, sequence } = openLedger()
    const cases = Array.from({ length: Number(second) }, (_, index) => sequence(Number(first) + index)).flat()
    writeFileSync(third!, asciiJson({ ...recording, cases }))
  } else if (command === 'compare') return compareRecordings([recorded(first!)])
  else if (command === 'record') {
    const { cases } = recorded(first!)
    const rows = [...Map.groupBy(cases, ({ name }: Recorded) => name.split('.')[0])].slice(0, Number(third))
    writeFileSync(second!, rows.map(([seed, those]) => `${seed} ${digestsOf({ cases: those })}\n`).join(''))
  } else throw new Error('usage: see the top of the file')
  return 0
})
