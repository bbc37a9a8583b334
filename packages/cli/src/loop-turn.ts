import type { Clock } from '@weir/core';

/**
 * Lets the event loop turn once, so that a signal that came is heard. Loading a module does not: it goes from file to file without
 * waiting for anything. A timer may run before signals are looked at, and a second one only afterwards.
 */
export async function loopTurn(clock: Clock): Promise<void> {
  for (let timer = 0; timer < 2; timer++) await new Promise<void>((resolve) => clock.after(0, resolve));
}
