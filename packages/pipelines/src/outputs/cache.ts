import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { interpolated, resource } from '../component/field-types.ts';
import { parseGoDurationMs } from '../component/go-duration.ts';
import { BatchFailure } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';

function ttlMsOf(
  ttl: Interpolated,
  batch: Batch,
  index: number,
  context: ComponentContext,
): number | undefined {
  const text = ttl.text(batch, index, context.mappingPorts);
  if (text === '') return undefined;
  const ttlMs = parseGoDurationMs(text);
  if (ttlMs === undefined) throw new Error(`ttl has to be a duration such as 5m, and is ${text}`);
  return ttlMs;
}

export const cache = componentOf('output', {
  name: 'cache',
  about: 'Stores each message in a cache.',
  fields: {
    target: resource('cache', 'The label of the cache.'),
    key: interpolated('The key of a message.').or(`\${!count("items")}-\${!timestamp_unix_nano()}`),
    ttl: interpolated('How long the cache keeps it, such as `5m`.').optional().advanced(),
    max_in_flight: maxInFlight.or(64),
  },
  open({ target, key, ttl, max_in_flight }, context) {
    const { mappingPorts, resources } = context;
    const write = async (batch: Batch) => {
      const failed = new Map<number, Error>();
      for (const [index, { content }] of batch.entries())
        try {
          const ttlMs = ttl && ttlMsOf(ttl, batch, index, context);
          await resources.get('cache', target).set(key.text(batch, index, mappingPorts), content, ttlMs);
        } catch (error) {
          failed.set(index, error as Error);
        }
      if (failed.size > 0) throw new BatchFailure(failed);
    };
    return pacedOutput({ write, close: async () => {} }, { max_in_flight }, context);
  },
});
