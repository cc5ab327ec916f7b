// One task at a time, in the order they came.

export function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined) // The caller sees the failure; the next task is not concerned.
    return result
  }
}
