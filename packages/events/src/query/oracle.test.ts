import { test } from 'node:test';
import { holdToOracle } from '../../testing/hold-to-oracle.ts';

test('the engine answers what reading everything answers', async () => {
  await holdToOracle({ numRuns: 500 });
});
