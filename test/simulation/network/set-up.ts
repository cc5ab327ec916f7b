// What the test and the campaign of the network's simulation begin with.
import fc from 'fast-check'
import type { TestOptions } from '../../fixtures/node.ts'

/** Contracts of earlier workloads stay, so lists are long. */
export const networkOptions: TestOptions = {
  settings: {
    grpc: { port: 0 },
    // What waits for a participant, or for the submitter of an unassignment, waits until the model says otherwise.
    limits: {
      listElementsMax: 100_000,
      confirmationMs: 3_600_000,
      requestTimeoutMs: 3_600_000,
      assignmentExclusivityMs: 3_600_000,
    },
  },
}

const numbers = fc.array(fc.nat(1 << 16), { minLength: 2, maxLength: 60, size: 'max' })
export const workloads = fc.array(numbers, { minLength: 4, maxLength: 12, size: 'max' })
