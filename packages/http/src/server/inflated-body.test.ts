import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { HttpProblem } from './http-problem.ts';
import { type Inflate, inflatedBody } from './inflated-body.ts';

/** An encoding of some clients. */
const others: Readonly<Record<string, Inflate>> = {
  hex: async (body, bytesMax) => {
    const text = body.toString('latin1');
    if (!/^(?:[\da-f]{2})*$/.test(text)) throw new Error('not hexadecimal');
    return text.length / 2 > bytesMax ? undefined : Buffer.from(text, 'hex');
  },
};
const hex = (bytes: Buffer) => Buffer.from(bytes.toString('hex'));
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
  ['hex', hex],
  ['deflate, gzip', (bytes) => gzipSync(deflateSync(bytes))],
  ['hex, identity', hex],
];

test('encodings are undone, up to a size, and what is not encoded so is refused', async () => {
  const body = Buffer.from('twelve bytes');
  for (const [name, encode] of encodings) {
    assert.deepEqual(await inflatedBody(encode(body), name, { bytesMax: 100, others }), body, name);
    assert.equal(
      await inflatedBody(encode(Buffer.alloc(100_000)), name, { bytesMax: 99_999, others }),
      undefined,
      name,
    );
    await assert.rejects(
      inflatedBody(Buffer.from('nothing of the kind'), name, { bytesMax: 1_000, others }),
      { status: 400 },
      name,
    );
    await assert.rejects(
      inflatedBody(encode(body).subarray(0, -3), name, { bytesMax: 100, others }),
      { status: 400 },
      name,
    );
  }
  assert.equal(await inflatedBody(body, 'identity', { bytesMax: 1 }), body);
  for (const name of ['br', 'toString', 'gzip, gzip, gzip', ''])
    await assert.rejects(inflatedBody(body, name, { bytesMax: 100 }), { status: 415 }, name);
});

test('a frame of zstd with a window beyond that of HTTP is refused before it is allocated', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
  const frame = zstdCompressSync(Buffer.alloc(9 * 1024 * 1024), { params });
  await assert.rejects(inflatedBody(frame, 'zstd', { bytesMax: 100 * 1024 * 1024 }), { status: 400 });
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
        assert.ok(((await inflatedBody(encoded, name, { bytesMax: 1_000, others }))?.length ?? 0) <= 1_000);
      } catch (error) {
        assert.ok(error instanceof HttpProblem && error.status === 400, String(error));
      }
    }),
    { numRuns: 200 },
  );
});
