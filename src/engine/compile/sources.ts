// From a line of generated code back to Daml: scripts have names that stack traces show, and record for each line which
// definition and source location it came from. Costs nothing until something goes wrong.
import { linesBeforeBody } from '../../base/generated-code.ts'
import type { Origin } from './writer.ts'

/** The body begins with one line of declarations. */
const linesBefore = linesBeforeBody + 1
const frame = /daml-(\d+)\.js:(\d+):\d+/g

export type Sources = {
  remember(origins: readonly Origin[]): string
  originsOf(error: Error): Origin[]
}

export function createSources(): Sources {
  const scripts: (readonly Origin[])[] = []
  return {
    remember(origins) {
      scripts.push(origins)
      return `daml-${scripts.length - 1}.js`
    },
    originsOf({ name, message, stack = '' }) {
      // A package may choose the text of an error, and make it look like stack frames.
      const header = `${name}: ${message}`
      const places = stack.startsWith(header) ? stack.slice(header.length) : ''
      return [...places.matchAll(frame)].flatMap(([, script, line]) => {
        const origin = scripts[Number(script)]?.[Number(line) - linesBefore - 1]
        return origin === undefined ? [] : [origin]
      })
    },
  }
}
