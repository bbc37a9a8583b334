import { test } from 'node:test';
import { moveInRounds } from './rounds.ts';

// With this seed, each kind of process is killed once.
test('a topic moves there and back while processes are killed', { timeout: 600_000 }, async (t) => {
  await moveInRounds(t, { seed: 38, rounds: 2, say: (line) => t.diagnostic(line) });
});
