import { componentWith } from '../component/component-spec.ts';
import { string } from '../component/field-types.ts';
import { InprocChannel } from '../component/inproc-channel.ts';
import type { Delivery } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { failedOf, Outcomes, withOrigins } from '../engine/outcomes.ts';

export const inproc = componentWith('output', {
  name: 'inproc',
  about:
    'Writes to an input `inproc` of the same pipeline. Messages are written when that input learns that they were.',
  field: string('The name of the channel.').check((name) => (name === '' ? 'has to be a text' : undefined)),
  open(name, { resources }) {
    const channel = InprocChannel.of(resources, name);
    return {
      ready: () => channel.ready(),
      write: (given: Batch, stop) => written(channel, withOrigins(given), stop),
      close: async () => {},
    };
  },
});

function written(channel: InprocChannel, batch: Batch, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = () => {
      channel.withdraw(delivery);
      reject(new Error('the pipeline ended before they were read'));
    };
    const delivery: Delivery = {
      batch,
      settle(error, failed) {
        stop.removeEventListener('abort', stopped);
        if (error === undefined) return resolve();
        const outcomes = new Outcomes(batch.length);
        const places = failed ?? new Set(failedOf(batch, error).keys());
        outcomes.written(batch.filter((_, index) => !places.has(index)));
        outcomes.failed(
          batch.filter((_, index) => places.has(index)),
          new Error(error.message, { cause: error }),
        );
        try {
          resolve(outcomes.throwFailure());
        } catch (failure) {
          reject(failure);
        }
      },
    };
    stop.addEventListener('abort', stopped, { once: true });
    channel.put(delivery);
  });
}
