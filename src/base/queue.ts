// Runs tasks one at a time, in order of arrival.

export function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined) // The caller gets the error; it does not affect the next task.
    return result
  }
}
