// npm run bench: the performance that matters, each as a ratio to a named baseline in the same run on the same machine.
// npm run bench -- NAME runs only the rows whose name contains NAME.
import { type Measured, type Row, rows } from './rows.ts'

const wanted = process.argv[2] ?? ''

for (const row of rows.filter(({ name }) => name.includes(wanted))) {
  const result = await row.run()
  if ('skipped' in result) process.stdout.write(`${row.name}\n  skipped   ${result.skipped}\n\n`)
  else print(row, result)
}

function print({ name, baseline, aim }: Row, { ours, theirs, unit, ratio, note }: Measured): void {
  process.stdout.write(`${name}
  ours      ${ours} ${unit}
  baseline  ${theirs} ${unit} (${baseline})
  ratio     ${ratio.toFixed(2)} (${verdict(aim, ratio)})
${note === undefined ? '' : `  note      ${note}\n`}\n`)
}

function verdict(aim: Row['aim'], ratio: number): string {
  if (aim === undefined) return 'reported'
  const isMet = aim.least === undefined ? ratio <= aim.most! : ratio >= aim.least
  const bound = aim.least === undefined ? `≤ ${aim.most}` : `≥ ${aim.least}`
  return `aim ${bound}: ${isMet ? 'met' : 'MISSED'}`
}
