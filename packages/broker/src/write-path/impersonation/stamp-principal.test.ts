import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { anonymous, fullAccess } from '@weir/security';
import {
  batchRecords,
  buildRecordBatch,
  type CompressionCodec,
  codecIds,
  RecordBatchView,
  recompressBatch,
  rewriteMaxTimestamp,
} from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import fc from 'fast-check';
import { InflationBudget, TurnBudget } from '../../inflation/inflation-budget.ts';
import { brokerLimits } from '../../limits.ts';
import { type CheckedBatch, checkBatch, offThread } from '../check-batch.ts';
import { Impersonation } from './impersonation.ts';
import type { RequestPrincipals } from './request-principals.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];
const ann = { ...anonymous, name: 'User:ann' };
const annHeader = { key: 'by', value: Buffer.from('ann') };
const impersonation = new Impersonation(
  { authorHeader: 'by', impersonators: ['User:ann'], impersonationHeader: 'for' },
  (user) => ({ ...anonymous, name: `User:${user}` }),
);

function principalsOfRequest(): RequestPrincipals {
  return impersonation.of(fullAccess(ann))!;
}

/** Checks a batch for a topic that requires keys, so that records are validated with principals and without. */
function check(bytes: Buffer, request?: RequestPrincipals): CheckedBatch {
  const checked = checkBatch(
    Buffer.from(bytes),
    { topicId: 't', partition: 0 },
    {
      budget: new InflationBudget({
        requestBytes: wireLimits.decompressedBatchBytesMax,
        turn: new TurnBudget(Number.POSITIVE_INFINITY),
        connection: { isSpent: false, spend: () => {} },
        atOnceBytesMax: Number.POSITIVE_INFINITY,
        later: () => {},
      }),
      rules: { recordBytesMax: 32 * MiB, requiresKeys: true, stampsAppendTime: false },
      allowsZstd: true,
      nowMs: 0,
      principals: request?.onTopic('t'),
    },
  );
  assert.ok(checked !== offThread);
  return checked;
}

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const recordArbitrary = fc.record({
  timestamp: fc.bigInt({ min: 0n, max: 2n ** 50n }),
  // Few records lack a key, so that most batches are valid.
  key: fc.oneof({ weight: 30, arbitrary: bytes }, { weight: 1, arbitrary: fc.constant(null) }),
  value: fc.option(bytes, { nil: null }),
  headers: fc.array(
    fc.record(
      { key: fc.constantFrom('by', 'b', 'trace', ''), value: fc.option(bytes, { nil: null }) },
      { noNullPrototype: true },
    ),
    { maxLength: 3 },
  ),
});
const batchArbitrary = fc
  .tuple(
    fc.array(recordArbitrary, { minLength: 1, maxLength: 20 }),
    fc.constantFrom(...codecs),
    fc.integer({ min: -1, max: 100 }),
  )
  .map(([records, codec, producerId]) =>
    buildRecordBatch(records, {
      codec,
      producerId: BigInt(producerId),
      producerEpoch: producerId < 0 ? -1 : 1,
      baseSequence: producerId,
    }),
  );

/**
 * Compares the results for one batch with and without a principal: the same rejection, or the same records except for
 * the principal header.
 */
function assertSameButStamped(signed: CheckedBatch, plain: CheckedBatch): void {
  if (!signed.ok || !plain.ok) {
    assert.deepEqual(signed, plain);
    return;
  }
  const { bytes, uncompressedBytes, ...rest } = signed.batch;
  const { bytes: plainBytes, uncompressedBytes: _, ...plainRest } = plain.batch;
  assert.deepEqual(rest, plainRest);
  const view = new RecordBatchView(bytes);
  assert.ok(view.hasValidCrc());
  assert.equal(uncompressedBytes, recompressBatch(view, 'none').length);
  assert.deepEqual(
    [...batchRecords(view)],
    [...batchRecords(new RecordBatchView(plainBytes))].map((record) => ({
      ...record,
      headers: [...record.headers.filter(({ key }) => key !== 'by'), annHeader],
    })),
  );
}

test('stamping adds the principal and changes nothing else', () => {
  fc.assert(
    fc.property(batchArbitrary, (batch) =>
      assertSameButStamped(check(batch, principalsOfRequest()), check(batch)),
    ),
    { numRuns: 300 },
  );
});

test('a damaged batch is rejected as it would be without a principal', () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const damaged = fc.tuple(batchArbitrary, damage, fc.boolean()).map(([batch, changes, isSealed]) => {
    for (const [at, byte] of changes) batch[at % batch.length] = byte;
    // With a correct checksum, only validation of the records finds the damage.
    if (isSealed && batch.length > 61) rewriteMaxTimestamp(batch, batch.readBigInt64BE(35));
    return batch;
  });
  let refusals = 0;
  fc.assert(
    fc.property(damaged, (batch) => {
      const signed = check(batch, principalsOfRequest());
      if (!signed.ok) refusals++;
      assertSameButStamped(signed, check(batch));
    }),
    { numRuns: 1000 },
  );
  assert.ok(refusals > 100);
});

const keyed = { timestamp: 1n, key: Buffer.from('k'), value: null };

/** Builds records of zeros, which compress a thousandfold. */
function largeBatch(codec: CompressionCodec, valueBytes: number): Buffer {
  return buildRecordBatch([{ ...keyed, value: Buffer.alloc(valueBytes) }], { codec });
}

test('the batches of a request are rewritten up to a limit of uncompressed bytes', () => {
  for (const codec of codecs) {
    const request = principalsOfRequest();
    request.spend(brokerLimits.rewrittenRequestBytesMax - 5 * MiB);
    const batch = largeBatch(codec, 2 * MiB);
    const outcomes = [1, 2, 3].map(() => check(batch, request));
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? 'NONE' : outcome.error)),
      ['NONE', 'NONE', 'MESSAGE_TOO_LARGE'],
      codec,
    );
    assert.ok(check(batch, principalsOfRequest()).ok, 'every request has a limit of its own');
  }
});

test('bytes that headers add to many small records count against the limit', () => {
  const records = Array.from({ length: 10_000 }, () => keyed);
  const batch = buildRecordBatch(records, { codec: 'gzip' });
  const request = principalsOfRequest();
  // The records have about 90 KB as sent, and 160 KB with the header.
  request.spend(brokerLimits.rewrittenRequestBytesMax - 100_000);
  const outcome = check(batch, request);
  assert.ok(!outcome.ok);
  assert.equal(outcome.error, 'MESSAGE_TOO_LARGE');
  assert.equal(outcome.message, 'records including principal headers exceed 100000 bytes');
});

test('batches that turn out to be corrupt are charged too', () => {
  for (const codec of ['gzip', 'lz4', 'snappy', 'zstd'] as const) {
    const request = principalsOfRequest();
    const before = request.bytesLeft;
    const bomb = new RecordBatchView(largeBatch('none', 8 * MiB));
    bomb.bytes.fill(0, 61);
    const outcome = check(recompressBatch(bomb, codec), request);
    assert.ok(!outcome.ok);
    assert.equal(outcome.error, 'INVALID_RECORD');
    assert.ok(before - request.bytesLeft >= 8 * MiB, codec);
  }
});

test('an evicted principal is looked up again', () => {
  const checks = new Map<string, number>();
  const access = fullAccess(ann);
  const request = impersonation.of({
    ...access,
    as(principal) {
      checks.set(principal.name, (checks.get(principal.name) ?? 0) + 1);
      return access.as(principal);
    },
  })!;
  const names = Array.from({ length: brokerLimits.impersonatedNamesMax + 1 }, (_, index) => `User:u${index}`);
  const records = [...names, names[0]!, names.at(-1)!].map((name) => ({
    ...keyed,
    headers: [{ key: 'for', value: Buffer.from(name) }],
  }));
  const outcome = check(buildRecordBatch(records), request);
  assert.ok(outcome.ok);
  assert.equal(checks.get('User:u0'), 2);
  assert.equal(checks.get('User:u1'), 1);
  assert.equal(checks.get(names.at(-1)!), 1);
  const stored = [...batchRecords(new RecordBatchView(outcome.batch.bytes))];
  assert.deepEqual(
    stored.map(({ headers }) => headers.map(({ key, value }) => `${key}=${value}`).join()),
    [...names, names[0]!, names.at(-1)!].map((name) => `by=${name.slice(5)}`),
  );
});
