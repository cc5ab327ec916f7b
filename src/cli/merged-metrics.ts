// The pages of metrics of several processes as one: each sample says which process it is of.

type Family = { readonly head: string[]; readonly samples: string[] }

/** Pages in Prometheus' text format, by the number of their process. A family has its lines together, as the format demands. */
export function mergedMetrics(pages: ReadonlyMap<number, string>): string {
  const families = new Map<string, Family>()
  for (const [process, page] of pages) {
    let family: Family = { head: [], samples: [] }
    for (const line of page.split('\n')) {
      const [, name] = heading.exec(line) ?? []
      if (name !== undefined) {
        family = families.get(name) ?? { head: [], samples: [] }
        families.set(name, family)
        if (family.head.length < headingsOfFamily) family.head.push(line)
      } else if (line !== '') family.samples.push(labelled(line, process))
    }
  }
  return `${[...families.values()].flatMap(({ head, samples }) => [...head, ...samples]).join('\n')}\n`
}

const heading = /^# (?:HELP|TYPE) (\S+)/
/** Its help and its type. */
const headingsOfFamily = 2

function labelled(sample: string, process: number): string {
  const label = `process="${process}"`
  const end = sample.search(/[{ ]/)
  const name = sample.slice(0, end)
  return sample[end] === '{' ? `${name}{${label},${sample.slice(end + 1)}` : `${name}{${label}}${sample.slice(end)}`
}
