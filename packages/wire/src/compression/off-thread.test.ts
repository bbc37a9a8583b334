import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KiB, MiB } from '@weir/core';
import { type BlockSteps, decompressBlocks, decompressBlocksOffThread } from './off-thread.ts';

/** Blocks that record where they are decompressed. */
function blocks(sizes: readonly number[]) {
  const done: string[] = [];
  function* steps(): BlockSteps {
    const outputs: Buffer[] = [];
    for (const bytes of sizes) {
      const output = Buffer.alloc(bytes);
      const atOnce = () => {
        done.push('at once');
        return output;
      };
      const offThread = async () => {
        done.push('off thread');
        return output;
      };
      outputs.push(yield { outputBytesMax: bytes, atOnce, offThread });
    }
    return Buffer.concat(outputs);
  }
  return { steps, done };
}

test('large blocks are decompressed in the pool, and small ones on the calling thread', async () => {
  const { steps, done } = blocks([4 * MiB, 100, 17 * KiB, 16 * KiB]);
  const output = await decompressBlocksOffThread(steps(), { pause: async () => {} });
  assert.equal(output.length, 4 * MiB + 100 + 33 * KiB);
  assert.deepEqual(done, ['off thread', 'at once', 'off thread', 'at once']);
  assert.equal(decompressBlocks(steps()).length, output.length);
});

test('small blocks yield to other work, by their bytes and by their number', async () => {
  for (const [bytes, perTurnMax] of [
    [16 * KiB, 16],
    [0, 256],
  ] as const) {
    const { steps, done } = blocks(Array.from({ length: 1000 }, () => bytes));
    const turns = [0];
    const pause = async () => {
      turns.push(done.length);
    };
    await decompressBlocksOffThread(steps(), { pause });
    turns.push(done.length);
    const counts = turns.slice(1).map((end, index) => end - turns[index]!);
    assert.ok(Math.max(...counts) <= perTurnMax + 1, `${Math.max(...counts)}`);
    assert.equal(done.length, 1000);
  }
});
