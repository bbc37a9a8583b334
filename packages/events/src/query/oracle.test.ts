import { test } from 'node:test';
import { holdToOracle } from '../../testing/hold-to-oracle.ts';

test('the engine gives the same answers as a full read', async () => {
  await holdToOracle({ numRuns: 500 });
});
