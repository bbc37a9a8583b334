import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createZstdCompress } from 'node:zlib';
import { KiB, MiB } from '@weir/core';
import fc from 'fast-check';
import { javaBatches, librdkafkaBatches } from '../../testing/golden-batches.ts';
import { wireLimits } from '../limits.ts';
import { RecordBatchView } from '../records/batch.ts';
import { headerBytes } from '../records/layout.ts';
import { type CompressionCodec, codecIds } from './codec.ts';
import { compress, decompress } from './compression.ts';
import { uncompressedBytesMax } from './uncompressed-size.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];

/** What a block without a size may count too much. */
const slackBytes: Record<CompressionCodec, number> = {
  none: 0,
  gzip: 0,
  snappy: 0,
  lz4: 64 * KiB,
  zstd: 128 * KiB,
};

const compressible = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 9_000 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => Buffer.concat(parts.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))));

for (const codec of codecs) {
  test(`${codec}: no less than the records become, in whatever pieces they come`, () => {
    fc.assert(
      fc.property(compressible, fc.array(fc.nat(), { maxLength: 3 }), (bytes, cuts) => {
        const compressed = compress(codec, bytes);
        const counted = uncompressedBytesMax(codec, piecesOf(compressed, cuts));
        assert.ok(counted >= bytes.length && counted <= bytes.length + slackBytes[codec]);
      }),
      { numRuns: 40 },
    );
  });

  test(`${codec}: bytes that are no frame count at most as the largest batch`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(), fc.nat(255), (bytes, at, byte) => {
        const damaged = compress(codec, Buffer.from(bytes));
        if (damaged.length > 0) damaged[at % damaged.length] = byte;
        for (const some of [Buffer.from(bytes), damaged]) {
          const counted = uncompressedBytesMax(codec, [some]);
          assert.ok(counted >= 0 && counted <= wireLimits.decompressedBatchBytesMax);
        }
      }),
    );
  });
}

test('batches of other clients count as what they become, or one block more', () => {
  for (const [client, batches] of Object.entries({ javaBatches, librdkafkaBatches })) {
    for (const [name, bytes] of Object.entries(batches)) {
      const { codec } = new RecordBatchView(bytes);
      if (codec === undefined) continue;
      const records = bytes.subarray(headerBytes);
      const actual = decompress(codec, records).length;
      const counted = uncompressedBytesMax(codec, [records]);
      assert.ok(counted >= actual && counted <= actual + slackBytes[codec], `${client} ${name}: ${counted}`);
    }
  }
});

test('a zstd stream that does not state its size counts by its blocks', async () => {
  const bytes = Buffer.alloc(1 * MiB, 'some text that repeats ');
  const compressed = await streamed(bytes);
  const counted = uncompressedBytesMax('zstd', [compressed]);
  assert.ok(counted >= bytes.length && counted <= bytes.length + slackBytes.zstd, `${counted}`);
});

test('frames in a row count together', () => {
  for (const codec of ['lz4', 'zstd'] as const) {
    const one = compress(codec, Buffer.alloc(300 * KiB, 'x'));
    const single = uncompressedBytesMax(codec, [one]);
    assert.equal(uncompressedBytesMax(codec, [one, one, one]), 3 * single, codec);
  }
});

test('thousands of empty blocks are not walked to their end', () => {
  const frame = compress('zstd', Buffer.from('x'));
  const blocks = Buffer.alloc(3 * 100_000);
  // A frame without a size: magic, descriptor, window, then stored blocks of no bytes, none of them the last.
  const head = Buffer.concat([frame.subarray(0, 4), Buffer.from([0, 0x58])]);
  assert.equal(uncompressedBytesMax('zstd', [head, blocks]), wireLimits.decompressedBatchBytesMax);
});

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

async function streamed(bytes: Buffer): Promise<Buffer> {
  const stream = createZstdCompress();
  for (let at = 0; at < bytes.length; at += 16 * KiB) stream.write(bytes.subarray(at, at + 16 * KiB));
  stream.end();
  return Buffer.concat((await stream.toArray()) as Buffer[]);
}
