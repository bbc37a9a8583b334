import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowStoreLoads } from './slow-store/loads.ts';
import { runVirtually } from './slow-store/virtual-run.ts';

for (const slow of slowStoreLoads) {
  test(`in virtual time the bars are met: ${slow.what}`, async () => {
    const measured = await runVirtually(slow, { seed: 17 });
    for (const [key, bar] of Object.entries(slow.bars)) {
      const result = measured[key as keyof typeof slow.bars];
      assert.ok(bar.isMet(result), `${key} is ${result}, the bar ${bar.text}`);
    }
  });
}

test('a run in virtual time depends on its seed alone', async () => {
  const [slow] = slowStoreLoads;
  const short = { ...slow!, load: { ...slow!.load, megabytes: 20 } };
  const run = (seed: number) => runVirtually(short, { seed });
  assert.deepEqual(await run(3), await run(3));
  assert.notDeepEqual(await run(3), await run(4));
});
