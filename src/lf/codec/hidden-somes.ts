// Canton's JSON has null for None, and nothing around the content of a Some, also for an Optional of a type parameter that
// stands for an Optional: `Some None` looks like None. Events are stored as that JSON, and readers of gRPC get the exact
// value, so spaces say what is hidden. They mean nothing to others who read the JSON:
//
// - each Some around a null is a space before it: `[ null]` is the list of `Some None`;
// - a record leaves nulls at its end out. If one of them hides a Some, each null up to the last such is there as its
//   spaces and a tab: `{"a":"1"\t \t}` has two fields after `a`, None and `Some None`.
//
// Nothing else that this node writes has a space or tab outside of texts.
import { parseKeeping } from '../../base/exact-json.ts'

const nothing = 'null'
const letterN = nothing.charCodeAt(0)
const space = ' '.charCodeAt(0)

/** Whether this JSON is null, with Somes around it or without. */
export function isNull(json: string): boolean {
  const first = json.charCodeAt(0)
  return first === letterN || first === space
}

/** The JSON of a Some, from that of its content. */
export function someOf(content: string): string {
  return isNull(content) ? ` ${content}` : content
}

/** Stands for a null that is left out at the end of a record. */
export function leftOut(json: string): string {
  return `${json.slice(0, -nothing.length)}\t`
}

/** Without those after the last that hides a Some. */
export function withoutNones(allLeftOut: string): string {
  const last = allLeftOut.lastIndexOf(' \t')
  return last < 0 ? '' : allLeftOut.slice(0, last + 2)
}

const namesOfValues = ['createArgument', 'contractKey', 'choiceArgument', 'exerciseResult', 'viewValue']

/** Parses the JSON of events. Where a Some may be hidden, their values are kept as text, in which it is seen. */
// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse.
export function parseEvents(json: string): any {
  return json.includes(' null') || json.includes(' \t') ? parseKeeping(json, namesOfValues) : JSON.parse(json)
}
