import { parseArgs } from 'node:util';
import { systemRandom } from '@weir/core';
import { moveInRounds } from './rounds.ts';

/**
 * `npm run test:migration-rounds`: moves a topic there and back twenty times while processes are killed. `-- --rounds
 * 4` moves it less often, `--seed 7` repeats which processes are killed, and when.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds ?? 20);
const seed = Number(values.seed ?? systemRandom.below(2 ** 31));
if (!Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('test:migration-rounds: --rounds and --seed take whole numbers, from 1 and from 0\n');
  process.exit(2);
}

const cleanUps: (() => Promise<void>)[] = [];
try {
  await moveInRounds(
    { after: (cleanUp) => void cleanUps.push(cleanUp) },
    { seed, rounds, say: (line) => void process.stdout.write(`${line}\n`) },
  );
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
process.stdout.write(`${rounds} rounds: nothing is lost, repeated or out of order\n`);
