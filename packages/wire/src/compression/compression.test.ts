import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DecodeError } from '../decode-error.ts';
import { type CompressionCodec, codecIds, codecOfId } from './codec.ts';
import { compress, compressOffThread, decompress, decompressOffThread } from './compression.ts';
import { OutputLimitExceeded } from './output-limit.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];
const compressing = codecs.filter((codec) => codec !== 'none');

/** Bytes with repetitions, so that they are compressible. */
const compressible = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 20 }), fc.integer({ min: 1, max: 400 })), { maxLength: 12 })
  .map((parts) => Buffer.concat(parts.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))));

test('the ids are those of the protocol', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map(codecOfId), [
    'none',
    'gzip',
    'snappy',
    'lz4',
    'zstd',
    undefined,
    undefined,
    undefined,
  ]);
  for (const codec of codecs) assert.equal(codecOfId(codecIds[codec]), codec);
});

for (const codec of codecs) {
  test(`${codec}: compressed bytes decompress to the original`, () => {
    fc.assert(
      fc.property(compressible, (bytes) => {
        assert.ok(decompress(codec, compress(codec, bytes)).equals(bytes));
      }),
      { numRuns: 60 },
    );
  });

  test(`${codec}: the output limit is exact`, () => {
    const bytes = Buffer.alloc(100_000, 'some text that repeats ');
    const compressed = compress(codec, bytes);
    assert.equal(decompress(codec, compressed, bytes.length).length, bytes.length);
    for (const outputBytesMax of [bytes.length - 1, 1000, 1, 0]) {
      assert.throws(
        () => decompress(codec, compressed, outputBytesMax),
        OutputLimitExceeded,
        `${outputBytesMax}`,
      );
    }
  });
}

for (const codec of compressing) {
  test(`${codec}: random and corrupt bytes give a DecodeError or some bytes, and nothing else`, () => {
    const damaged = fc
      .tuple(
        compressible,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.boolean(),
      )
      .map(([bytes, changes, cut, isCut]) => {
        const compressed = Buffer.from(compress(codec, bytes));
        for (const [at, byte] of changes) compressed[at % compressed.length] = byte;
        return isCut ? compressed.subarray(0, cut % (compressed.length + 1)) : compressed;
      });
    fc.assert(
      fc.property(
        fc.oneof(
          damaged,
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        ),
        (bytes) => {
          try {
            assert.ok(decompress(codec, bytes, 100_000).length <= 100_000);
          } catch (error) {
            assert.ok(error instanceof DecodeError, String(error));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test(`${codec}: a decompression bomb is rejected at the limit`, () => {
    const bomb = compress(codec, Buffer.alloc(32 << 20));
    assert.ok(bomb.length < 2 << 20);
    assert.throws(() => decompress(codec, bomb, 1 << 20), OutputLimitExceeded);
  });

  test(`${codec}: empty input is rejected`, () => {
    assert.throws(() => decompress(codec, Buffer.alloc(0)), DecodeError);
  });
}

test('gzip, lz4 and zstd streams may be concatenated', () => {
  for (const codec of ['gzip', 'lz4', 'zstd'] as const) {
    const twice = Buffer.concat([compress(codec, Buffer.from('one ')), compress(codec, Buffer.from('two'))]);
    assert.equal(decompress(codec, twice).toString(), 'one two', codec);
    assert.throws(() => decompress(codec, twice, 6), OutputLimitExceeded, codec);
    assert.throws(() => decompress(codec, Buffer.concat([twice, Buffer.from('junk')])), DecodeError, codec);
  }
});

test('zstd: the number of frames is limited, because each costs a context', () => {
  const empty = compress('zstd', Buffer.alloc(0));
  const frames = Buffer.alloc(empty.length * 1025, empty);
  assert.throws(() => decompress('zstd', frames), /is one more than 1024/);
});

test('levels trade time for size', () => {
  const bytes = Buffer.from(
    Array.from({ length: 20_000 }, (_, at) => `${at} ${(at * 7919) % 1009},`).join(''),
  );
  for (const codec of ['gzip', 'zstd'] as const) {
    const [fast, small] = [compress(codec, bytes, { level: 1 }), compress(codec, bytes, { level: 9 })];
    assert.ok(small.length < fast.length, codec);
    assert.ok(decompress(codec, small).equals(bytes), codec);
  }
});

test('without compression nothing is copied', () => {
  const bytes = Buffer.from('abc');
  assert.equal(compress('none', bytes), bytes);
  assert.equal(decompress('none', bytes), bytes);
});

const noPause = { pause: async () => {} };

test('off-thread decompression has the same results and errors', async () => {
  const bytes = Buffer.from('the quick brown fox '.repeat(50_000));
  for (const codec of codecs) {
    const once = compress(codec, bytes);
    // Concatenated members and frames are allowed.
    const input = codec === 'snappy' ? once : Buffer.concat([once, once]);
    const output = decompress(codec, input);
    const seen: Buffer[] = [];
    const watch = (piece: Buffer) => seen.push(Buffer.from(piece));
    assert.ok(
      output.equals(await decompressOffThread(codec, input, output.length, { ...noPause, watch })),
      codec,
    );
    if (codec !== 'none') assert.ok(Buffer.concat(seen).equals(output), codec);
    await assert.rejects(
      decompressOffThread(codec, input, output.length - 1, noPause),
      OutputLimitExceeded,
      codec,
    );
    if (codec === 'none') continue;
    const broken = Buffer.from(input);
    broken.fill(0xff, 10);
    await assert.rejects(decompressOffThread(codec, broken, output.length, noPause), DecodeError, codec);
    await assert.rejects(
      decompressOffThread(codec, Buffer.alloc(0), output.length, noPause),
      DecodeError,
      codec,
    );
  }
});

test('off-thread compression has the same result', async () => {
  const bytes = Buffer.from('the quick brown fox '.repeat(5_000));
  for (const codec of codecs) {
    for (const snappyFraming of ['xerial', 'raw'] as const) {
      const compressed = await compressOffThread(codec, bytes, { snappyFraming });
      assert.ok(decompress(codec, compressed).equals(bytes), codec);
      assert.ok(compressed.equals(compress(codec, bytes, { snappyFraming })), codec);
    }
  }
});

test('a decompression bomb is stopped while it inflates', async () => {
  const bytes = Buffer.alloc(32 << 20);
  for (const codec of compressing) {
    // A raw snappy block is decompressed as a whole.
    const bomb = compress(codec, bytes, { snappyFraming: 'xerial' });
    let seenBytes = 0;
    const watch = (piece: Buffer) => {
      seenBytes += piece.length;
      if (seenBytes > 1000) throw new RangeError('enough');
    };
    await assert.rejects(
      decompressOffThread(codec, bomb, bytes.length, { ...noPause, watch }),
      /enough/,
      codec,
    );
    assert.ok(seenBytes <= 4 << 20, `${codec}: ${seenBytes} bytes`);
  }
});
