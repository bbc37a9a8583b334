import { componentOf } from '../component/component-spec.ts';
import { children, int } from '../component/field-types.ts';
import type { Batch } from '../component/message.ts';
import { Chain } from '../engine/chain.ts';
import { pipelineLimits } from '../limits.ts';
import { gathered } from './chains.ts';

/** Calls for each message, some at a time; results have the order of the messages. */
export async function sideBySide<Result>(
  batch: Batch,
  atATime: number,
  call: (index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(batch.length);
  let next = 0;
  const worker = async () => {
    while (next < batch.length) {
      const index = next++;
      results[index] = await call(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, batch.length) }, worker));
  return results;
}

export const parallel = componentOf('processor', {
  name: 'parallel',
  about: 'Applies processors to each message as if it were a batch of its own, to several at a time.',
  fields: {
    cap: int(`Messages at a time; 0 is all of the batch, up to ${pipelineLimits.parallelMessagesMax}.`).or(0),
    processors: children('processor', 'Applied to each message.'),
  },
  async open({ cap, processors }, context) {
    const chain = await Chain.open(processors, context);
    const { parallelMessagesMax } = pipelineLimits;
    const atATime = cap > 0 ? Math.min(cap, parallelMessagesMax) : parallelMessagesMax;
    return {
      process: async (batch, stop) =>
        gathered(await sideBySide(batch, atATime, (index) => chain.process([batch[index]!], stop))),
      close: () => chain.close(),
    };
  },
});
