import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyChoice, runInterleaved } from './interleavings.ts';

test('every order of the steps of two actors runs once', async () => {
  const orders = new Set<string>();
  const runs = await everyChoice(async (choose) => {
    const done: string[] = [];
    const steps = await runInterleaved(
      {
        a: async (gate) => {
          done.push('a1');
          await gate('two');
          done.push('a2');
        },
        b: async (gate) => {
          done.push('b1');
          await gate('two');
          done.push('b2');
        },
      },
      choose,
    );
    assert.equal(steps.length, 4);
    orders.add(done.join(' '));
  });
  assert.equal(runs, 6);
  assert.equal(orders.size, 6);
});

test('an actor with fewer steps in some orders is no problem', async () => {
  const seen: string[] = [];
  const runs = await everyChoice(async (choose) => {
    let isShort = false;
    const steps = await runInterleaved(
      {
        long: async (gate) => {
          if (!isShort) await gate('goes on');
        },
        other: async () => {
          isShort = true;
        },
      },
      choose,
    );
    seen.push(steps.join(', '));
  });
  assert.equal(runs, 3);
  assert.ok(seen.includes('other begins, long begins'));
});

test('an error names the steps before it', async () => {
  const failing = runInterleaved(
    {
      a: async (gate) => {
        await gate('fails');
        throw new Error('it broke');
      },
    },
    () => 0,
  );
  await assert.rejects(failing, { message: 'it broke\nafter: a begins, a fails' });
});
