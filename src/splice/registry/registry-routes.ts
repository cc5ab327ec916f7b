// Every route of Amulet's token registry, as scan serves them.
import type { Route, RouteContext } from '../serving/route.ts'
import { allocationRoutes } from './allocations.ts'
import { metadataRoutes } from './metadata.ts'
import { transferInstructionRoutes } from './transfer-instructions.ts'

export const registryRoutes: readonly Route<RouteContext>[] = [
  ...metadataRoutes,
  ...transferInstructionRoutes,
  ...allocationRoutes,
]
