import { pauseUnlessStopped } from '@weir/core';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { interpolated, resource } from '../component/field-types.ts';
import { parseGoDurationMs } from '../component/go-duration.ts';

const rateLimit = componentOf('processor', {
  name: 'rate_limit',
  about: 'Lets messages pass no faster than a rate limit allows.',
  fields: { resource: resource('rate_limit', 'The label of the rate limit.') },
  open: ({ resource: label }, { resources, clock, log }) => ({
    async process(batch, stop) {
      const limit = resources.get('rate_limit', label);
      for (const { byteLength } of batch) {
        for (;;) {
          const waitMs = await limit.take(byteLength).catch((error: unknown) => {
            log.error('failed to take from a rate limit', { error: reasonOf(error) });
            return retryMs;
          });
          if (waitMs <= 0) break;
          await pauseUnlessStopped(clock, waitMs, stop);
          if (stop.aborted) throw new Error('the pipeline ended before the rate limit allowed more');
        }
      }
      return [batch];
    },
  }),
});

const retryMs = 1_000;

const sleep = componentOf('processor', {
  name: 'sleep',
  about: 'Waits for each message.',
  fields: { duration: interpolated('How long, such as `500ms`.') },
  open: ({ duration }, { mappingPorts, clock, log }) => ({
    async process(batch, stop) {
      for (let index = 0; index < batch.length; index++) {
        try {
          const text = duration.text(batch, index, mappingPorts);
          const pauseMs = parseGoDurationMs(text);
          if (pauseMs === undefined) throw new Error(`the duration ${text} is none such as 500ms`);
          await pauseUnlessStopped(clock, pauseMs, stop);
        } catch (error) {
          log.error('failed to read how long to sleep', { error: reasonOf(error) });
        }
        if (stop.aborted) throw new Error('the pipeline ended during a sleep');
      }
      return [batch];
    },
  }),
});

export const pacingProcessors = [rateLimit, sleep];
