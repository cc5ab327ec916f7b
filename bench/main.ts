// npm run bench: the performance that matters, each as a ratio to a named baseline in the same run on the same machine.
// npm run bench -- NAME runs only the rows whose name contains NAME.
import { type Row, rows } from './rows.ts'

const wanted = process.argv[2] ?? ''

for (const row of rows.filter(({ name }) => name.includes(wanted))) {
  print(row, await row.run())
}

function print(
  { name, baseline, aim }: Row,
  { ours, theirs, unit, ratio, note }: Awaited<ReturnType<Row['run']>>,
): void {
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
