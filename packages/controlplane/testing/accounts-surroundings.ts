import { createHash } from 'node:crypto';
import { seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/oidc/testing';
import type { AccountsSurroundings } from '../src/accounts/surroundings.ts';

export interface TestSurroundings extends AccountsSurroundings {
  readonly clock: HandClock;
}

/** A world without surprises, where time is moved by hand and passwords cost little. */
export function accountsSurroundings(seed = 1): TestSurroundings {
  let drawn = 0;
  return {
    clock: new HandClock(),
    log: silentLog,
    random: seededRandom(seed),
    randomBytes: (count) =>
      createHash('shake256', { outputLength: count }).update(`${seed}.${drawn++}`).digest(),
    passwordCost: { memoryKiB: 64, passes: 1, parallelism: 1 },
  };
}
