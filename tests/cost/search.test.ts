import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { type Seed, type Sizes, searchCosts } from './search.ts';

/** A seed whose bytes are its sizes, padded to a length. */
function seedOf(name: string, sizes: Sizes): Seed {
  const lengthOf = (of: Sizes) => Object.values(of).reduce((sum, size) => sum + size, 0);
  return { name, sizes, build: (of) => Buffer.from(JSON.stringify({ name, ...of }).padEnd(lengthOf(of))) };
}

function search(seeds: readonly Seed[], costOf: (input: Record<string, number>) => number, inputs = 500) {
  let count = 0;
  return searchCosts({
    seeds,
    measure: async (bytes) => {
      count++;
      return costOf(JSON.parse(bytes.toString()));
    },
    random: seededRandom(1),
    isOver: () => count >= inputs,
    bytesMax: 4_096,
  });
}

test('the search grows the dimension that costs, until the limit is exceeded', async () => {
  const seeds = [seedOf('quadratic', { depth: 4, names: 4 }), seedOf('linear', { names: 4 })];
  const found = await search(seeds, ({ depth, names }) =>
    depth === undefined ? names! / 1_000 : depth / 1_000 + (names! * names!) / 1_000,
  );
  const [worst, other] = found;
  assert.equal(worst!.seed, 'quadratic');
  assert.ok(worst!.ms > 100 && worst!.sizes.names! > worst!.sizes.depth!, JSON.stringify(worst));
  assert.ok(other!.seed === 'linear' && other!.ms < 5, JSON.stringify(other));
});

test('no input is above the bound, and a cost that does not come again does not count', async () => {
  let isFirst = true;
  const found = await search([seedOf('once', { names: 1 })], ({ names }) => {
    assert.ok(names! <= 4_096);
    const ms = isFirst ? 500 : 1;
    isFirst = false;
    return ms;
  });
  assert.equal(found[0]!.ms, 1);
});

test('a run from the same seed tries the same inputs', async () => {
  const run = async () => {
    const tried: string[] = [];
    await search([seedOf('a', { x: 1, y: 1 })], (input) => {
      tried.push(JSON.stringify(input));
      return input.x! / 1_000;
    });
    return tried;
  };
  assert.deepEqual(await run(), await run());
});
