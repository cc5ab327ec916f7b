// Made by tallystick codegen; changes will be lost.
// Module DA.Internal.Template of ghc-stdlib-DA-Internal-Template 1.0.0.

import type * as daml from '../../../daml.js'

export type Archive = daml.Unit
