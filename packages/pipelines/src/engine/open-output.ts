import type { ComponentContext } from '../component/component-context.ts';
import { int } from '../component/field-types.ts';
import type { Output } from '../component/instances.ts';
import { type BatchingFields, BatchPolicy, gathers } from './batch-policy.ts';
import { GatheringOutput } from './gathering-output.ts';
import { LimitedOutput } from './limited-output.ts';

/** The field of outputs that write several batches at a time. */
export const maxInFlight = int('Batches that are written at a time; order is kept with 1.');

/** An output with its limit and its batching, as most outputs have them. */
export async function pacedOutput(
  output: Output,
  {
    max_in_flight: inFlightMax,
    batching,
  }: { readonly max_in_flight: number; readonly batching?: BatchingFields },
  context: ComponentContext,
): Promise<Output> {
  const limited = new LimitedOutput(output, inFlightMax);
  if (batching === undefined || !gathers(batching)) return limited;
  return new GatheringOutput(limited, await BatchPolicy.open(batching, context), context);
}
