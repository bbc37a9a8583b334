import { systemEnvironment } from '@weir/core';

/** The runs of a property: `npm run test:properties`, which sets a new seed, takes ten times as many as the gate. */
export function runs(ofGate: number): number {
  return systemEnvironment.WEIR_PROPERTY_SEED === undefined ? ofGate : 10 * ofGate;
}
