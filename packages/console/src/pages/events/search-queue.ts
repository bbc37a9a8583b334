import { Semaphore } from '@weir/core';

/** A cluster refuses about twenty searches at once, and several people look at it. */
const searchesMax = 2;

const queue = new Semaphore({ permits: searchesMax });

/** Runs a search when its turn comes. One that was stopped before that is not sent at all. */
export function inTurn<Answer>(signal: AbortSignal, search: () => Promise<Answer>): Promise<Answer> {
  return queue.run(async () => {
    signal.throwIfAborted();
    return await search();
  });
}
