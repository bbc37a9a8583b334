import { createHash } from 'node:crypto';
import { seededRandom, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { AccountsDeps } from '../src/accounts/common/deps.ts';
import { createSecretBox } from '../src/accounts/secrets/secret-box.ts';

export interface TestDeps extends AccountsDeps {
  readonly clock: HandClock;
}

/** Deterministic dependencies: the test moves time, and passwords are cheap to hash. */
export function accountsDeps(seed = 1): TestDeps {
  let drawn = 0;
  const randomBytes = (count: number) =>
    createHash('shake256', { outputLength: count }).update(`${seed}.${drawn++}`).digest();
  return {
    clock: new HandClock(),
    log: silentLog,
    random: seededRandom(seed),
    randomBytes,
    passwordCost: { memoryKiB: 64, passes: 1, parallelism: 1 },
    // Processes of one installation have the same key.
    secretBox: createSecretBox([Buffer.alloc(32, 1)], randomBytes),
  };
}
