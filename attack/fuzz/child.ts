// A child process that runs batches of inputs for its parent, one after the other.
import { type BatchResult, runBatch } from './batch.ts'
import { decoders } from './decoders/all.ts'

export type Task = { readonly decoder: string; readonly seed: number; readonly inputs: number }
export type Done = BatchResult & { readonly seed: number }

process.on('message', ({ decoder: name, seed, inputs }: Task) => {
  const decoder = decoders.find((one) => one.name === name)!
  void runBatch(decoder, seed, inputs).then((result) => {
    // The parent may have exited; then nobody waits for the result.
    process.send!({ ...result, seed } satisfies Done, undefined, {}, (error) => {
      if (error) process.exit()
    })
  })
})
process.on('disconnect', () => process.exit())
