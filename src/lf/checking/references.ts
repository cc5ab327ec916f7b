// What is looked up, as the reference names it in errors (Reference in LookupError.scala).
import type { Identifier, Location } from '../syntax/ast.ts'
import { fullName } from './types.ts'

type Describe = (id: Identifier) => string

const named = (what: string): Describe => {
  return (id) => `${what} ${fullName(id)}`
}

export const reference = {
  package: (packageId: string): string => `package ${packageId}`,
  module: (packageId: string, module: string): string => `module ${packageId}:${module}`,
  definition: named('definition'),
  synonym: named('type synonym'),
  dataType: named('data type'),
  variant: named('variant'),
  variantConstructor: (id: Identifier, tag: string): string => `constructor ${tag} in variant ${fullName(id)}`,
  enum: named('enumeration'),
  enumConstructor: (id: Identifier, tag: string): string => `constructor ${tag} in enumeration ${fullName(id)}`,
  value: named('value'),
  template: named('template'),
  interface: named('interface'),
  key: (id: Identifier): string => `template without contract key ${fullName(id)}.`,
  instance: (of: Identifier, template: Identifier): string => {
    return `interface instance ${fullName(of)} for ${fullName(template)}`
  },
  templateChoice: (id: Identifier, choice: string): string => `choice ${choice} in template ${fullName(id)}`,
  interfaceChoice: (id: Identifier, choice: string): string => `choice ${choice} in interface ${fullName(id)}`,
  method: (id: Identifier, method: string): string => `method ${method} in interface ${fullName(id)}`,
  exception: named('exception'),
}

/** A place in the source, of what `definition` names. */
export function locationText(location: Location, definition: string): string {
  const { packageId, module, startLine, startColumn, endLine, endColumn } = location
  const range = `start: (${startLine},${startColumn}), end: (${endLine},${endColumn})`
  return `definition ${packageId}:${module}:${definition} (${range})`
}
