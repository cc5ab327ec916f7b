// Daml Scripts of uploaded packages: which there are, and running one on the ledger.
import { get, post } from './client.ts'

export type Script = {
  /** Module:name */
  readonly name: string
  readonly packageId: string
  readonly packageName: string
  readonly packageVersion: string
  readonly takesArgument: boolean
}

export type ScriptRun = {
  readonly succeeded: boolean
  readonly result: unknown
  readonly failure: readonly string[]
  readonly traces: readonly string[]
  readonly transactions: readonly { readonly updateId: string; readonly offset: number; readonly tree: string }[]
  readonly milliseconds: number
}

export async function readScripts(signal?: AbortSignal): Promise<readonly Script[]> {
  return (await get<{ scripts: Script[] }>('/dev/scripts', { signal })).scripts
}

/** `input` is JSON. */
export function runScript({ name, packageId }: Script, input?: string): Promise<ScriptRun> {
  return post<ScriptRun>('/dev/scripts', { name, package: packageId, ...(input !== undefined && { input }) })
}
