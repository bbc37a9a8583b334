import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { HttpProblem } from '@weir/http';
import { compress } from '@weir/wire';
import fc from 'fast-check';
import { inflatedBody } from './inflated-body.ts';

const snappy = (bytes: Buffer) => compress('snappy', bytes, { snappyFraming: 'raw' });
const encodings: readonly [name: string, encode: (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdCompressSync],
  [
    'zstd',
    (bytes) => Buffer.concat([zstdCompressSync(bytes.subarray(0, 5)), zstdCompressSync(bytes.subarray(5))]),
  ],
  ['snappy', snappy],
  ['deflate, gzip', (bytes) => gzipSync(deflateSync(bytes))],
  ['snappy, identity', snappy],
];

test('encodings are undone, up to a size, and what is not encoded so is refused', async () => {
  const body = Buffer.from('twelve bytes');
  for (const [name, encode] of encodings) {
    assert.deepEqual(await inflatedBody(encode(body), name, 100), body, name);
    assert.equal(await inflatedBody(encode(Buffer.alloc(100_000)), name, 99_999), undefined, name);
    await assert.rejects(
      inflatedBody(Buffer.from('nothing of the kind'), name, 1_000),
      { status: 400 },
      name,
    );
    await assert.rejects(inflatedBody(encode(body).subarray(0, -3), name, 100), { status: 400 }, name);
  }
  assert.equal(await inflatedBody(body, 'identity', 1), body);
  for (const name of ['br', 'toString', 'gzip, gzip, gzip', ''])
    await assert.rejects(inflatedBody(body, name, 100), { status: 415 }, name);
});

test('a frame of zstd with a window beyond that of HTTP is refused before it is allocated', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
  const frame = zstdCompressSync(Buffer.alloc(9 * 1024 * 1024), { params });
  await assert.rejects(inflatedBody(frame, 'zstd', 100 * 1024 * 1024), { status: 400 });
});

test('damaged bodies are refused, or are something else of at most the size', async () => {
  const damaged = fc.tuple(
    fc.constantFrom(...encodings),
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    fc.nat(),
    fc.nat(255),
  );
  await fc.assert(
    fc.asyncProperty(damaged, async ([[name, encode], bytes, at, value]) => {
      const encoded = Buffer.from(encode(Buffer.from(bytes)));
      encoded[at % encoded.length] = value;
      try {
        assert.ok(((await inflatedBody(encoded, name, 1_000))?.length ?? 0) <= 1_000);
      } catch (error) {
        assert.ok(error instanceof HttpProblem && error.status === 400, String(error));
      }
    }),
    { numRuns: 200 },
  );
});
