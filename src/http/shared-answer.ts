// An answer that takes long to make and that anybody may ask for, such as the page of metrics: made once at a time, and a
// few times per second. Those who ask meanwhile, or more often, get the last one.
import type { Clock } from '../base/clock.ts'

const perSecondMax = 20

export function createSharedAnswer<T>(make: () => Promise<T>, clock: Clock): () => Promise<T> {
  let last: Promise<T> | undefined
  let isUnderWay = false
  let secondBeganMs = 0
  let madeInSecond = 0

  function isDue(): boolean {
    if (isUnderWay) return false
    const nowMs = clock.elapsedMs()
    if (nowMs - secondBeganMs >= 1000) {
      secondBeganMs = nowMs
      madeInSecond = 0
    }
    madeInSecond += 1
    return madeInSecond <= perSecondMax
  }

  return () => {
    if (!isDue() && last !== undefined) return last
    isUnderWay = true
    last = make().finally(() => {
      isUnderWay = false
    })
    return last
  }
}
