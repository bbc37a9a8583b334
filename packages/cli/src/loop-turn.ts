import { type Clock, nextTurn } from '@weir/core';

/**
 * Lets the event loop run once, so that pending signals are handled. Loading modules does not, because it never yields
 * to the event loop. A first timer may run before signals are polled; a second one runs only afterwards.
 */
export async function loopTurn(clock: Clock): Promise<void> {
  for (let timer = 0; timer < 2; timer++) await nextTurn(clock);
}
