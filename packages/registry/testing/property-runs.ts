import { systemEnvironment } from '@weir/core';

/** How many runs of a property the gate takes; `npm run test:properties`, which sets a new seed, takes ten times as many. */
export function runs(ofGate: number): number {
  return systemEnvironment.WEIR_PROPERTY_SEED === undefined ? ofGate : 10 * ofGate;
}
