import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { javaBatches, librdkafkaBatches } from '../../testing/golden-batches.ts';
import { sealBatch } from './crc.ts';
import { headerAt } from './layout.ts';
import { rewritePosition } from './rewrite.ts';
import { validateProducedBatch } from './validate.ts';

type Change = (batch: Buffer) => void;

const set =
  (field: keyof typeof headerAt, value: number): Change =>
  (batch) => {
    if (field === 'magic') batch.writeInt8(value, headerAt.magic);
    else if (field === 'attributes' || field === 'producerEpoch') batch.writeInt16BE(value, headerAt[field]);
    else if (field === 'baseOffset' || field === 'producerId')
      batch.writeBigInt64BE(BigInt(value), headerAt[field]);
    else batch.writeInt32BE(value, headerAt[field]);
  };

/** The golden batch with changes and a valid CRC over them: what a client with a bug would send. */
function sealed(...changes: Change[]): Buffer {
  const batch = Buffer.from(javaBatches.none);
  for (const change of changes) change(batch);
  sealBatch(batch);
  return batch;
}

/** The golden batch with changes under the old CRC: what a bad network would deliver. */
function damaged(...changes: Change[]): Buffer {
  const batch = Buffer.from(javaBatches.none);
  for (const change of changes) change(batch);
  return batch;
}

function markerAtZero(): Buffer {
  const marker = Buffer.from(javaBatches.commit);
  rewritePosition(marker, 0n, -1);
  return marker;
}

const rules = { allowsZstd: true };

test('accepts batches that clients send', () => {
  const { none, gzip, snappy, lz4, zstd } = javaBatches;
  for (const records of [none, gzip, snappy, lz4, zstd, ...Object.values(librdkafkaBatches)]) {
    const result = validateProducedBatch(records, rules);
    assert.ok(result.ok);
    assert.equal(result.batch.bytes, records);
  }
});

test('rejects batches that clients may not send', () => {
  const { none, zstd, logAppendTime } = javaBatches;
  const table: [name: string, records: Buffer | null, error: string, message: RegExp][] = [
    ['null', null, 'INVALID_RECORD', /no batch/],
    ['nothing', Buffer.alloc(0), 'INVALID_RECORD', /no batch/],
    ['less than a length', none.subarray(0, 11), 'INVALID_RECORD', /ends inside the header/],
    [
      'less than a header',
      none.subarray(0, 60),
      'INVALID_RECORD',
      /batchLength is 133 but records ends 85 bytes earlier/,
    ],
    ['less than a batch', none.subarray(0, 144), 'INVALID_RECORD', /1 bytes earlier/],
    ['two batches', Buffer.concat([none, none]), 'INVALID_RECORD', /one batch, and 145 bytes follow/],
    [
      'a byte too many',
      Buffer.concat([none, Buffer.alloc(1)]),
      'INVALID_RECORD',
      /one batch, and 1 bytes follow/,
    ],
    ['magic 0', sealed(set('magic', 0)), 'INVALID_RECORD', /magic is 0/],
    ['magic 1', sealed(set('magic', 1)), 'INVALID_RECORD', /magic is 1/],
    ['magic 3', sealed(set('magic', 3)), 'CORRUPT_MESSAGE', /magic is 3/],
    ['magic -1', sealed(set('magic', -1)), 'CORRUPT_MESSAGE', /magic is -1/],
    ['negative length', sealed(set('batchLength', -1)), 'CORRUPT_MESSAGE', /batchLength is -1/],
    ['length below a header', sealed(set('batchLength', 48)), 'CORRUPT_MESSAGE', /batchLength is 48/],
    ['base offset', sealed(set('baseOffset', 1)), 'INVALID_RECORD', /baseOffset is 1/],
    ['crc', damaged(set('crc', 0)), 'CORRUPT_MESSAGE', /crc/],
    [
      'no records',
      sealed(set('recordCount', 0), set('lastOffsetDelta', -1)),
      'INVALID_RECORD',
      /recordCount is 0/,
    ],
    [
      'negative count',
      sealed(set('recordCount', -5), set('lastOffsetDelta', -6)),
      'INVALID_RECORD',
      /recordCount is -5/,
    ],
    [
      'count against delta',
      sealed(set('lastOffsetDelta', 3)),
      'INVALID_RECORD',
      /lastOffsetDelta is 3 but recordCount is 3/,
    ],
    [
      'count beyond the bytes',
      sealed(set('recordCount', 13), set('lastOffsetDelta', 12)),
      'INVALID_RECORD',
      /more than fit in 84/,
    ],
    ['control bit', markerAtZero(), 'INVALID_RECORD', /control bit/],
    [
      'sequence missing',
      sealed(set('producerId', 7)),
      'INVALID_RECORD',
      /baseSequence is -1 although producerId is 7/,
    ],
    ['codec 5', sealed(set('attributes', 5)), 'UNSUPPORTED_COMPRESSION_TYPE', /codec 5/],
    ['codec 7', sealed(set('attributes', 7)), 'UNSUPPORTED_COMPRESSION_TYPE', /codec 7/],
    ['LogAppendTime', logAppendTime, 'INVALID_TIMESTAMP', /LogAppendTime/],
  ];
  for (const [name, records, error, message] of table) {
    const result = validateProducedBatch(records, rules);
    assert.ok(!result.ok, name);
    assert.equal(result.error, error, name);
    assert.match(result.message, message, name);
    assert.deepEqual(result.recordErrors, [], name);
  }

  const tooOld = validateProducedBatch(zstd, { allowsZstd: false });
  assert.ok(!tooOld.ok);
  assert.equal(tooOld.error, 'UNSUPPORTED_COMPRESSION_TYPE');
  assert.match(tooOld.message, /Produce version 7/);
});

test('of several defects the first in order is reported: base offset, size, CRC, fields', () => {
  const offset = set('baseOffset', 1);
  const crc = set('crc', 0);
  const control = set('attributes', 0x20);
  const tooLarge = { ...rules, batchBytesMax: 144 };
  assert.match(messageOf(damaged(offset, crc, control), tooLarge), /baseOffset/);
  assert.match(messageOf(damaged(crc, control), tooLarge), /145 bytes and 144 are allowed/);
  assert.match(messageOf(damaged(crc, control), rules), /crc/);
  assert.match(messageOf(sealed(control), rules), /control/);
});

function messageOf(records: Buffer, rulesOfCase: Parameters<typeof validateProducedBatch>[1]): string {
  const result = validateProducedBatch(records, rulesOfCase);
  return result.ok ? 'ok' : result.message;
}

test('any flipped bit is detected, except in the fields that the broker overwrites', () => {
  const batch = javaBatches.lz4;
  const leaderEpochBits = { from: headerAt.partitionLeaderEpoch * 8, to: headerAt.magic * 8 };
  for (let bit = 0; bit < batch.length * 8; bit++) {
    const flipped = Buffer.from(batch);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const isLeaderEpoch = bit >= leaderEpochBits.from && bit < leaderEpochBits.to;
    const result = validateProducedBatch(flipped, rules);
    assert.equal(result.ok, isLeaderEpoch, `bit ${bit}`);
    if (!result.ok && bit >= headerAt.crc * 8) assert.equal(result.error, 'CORRUPT_MESSAGE', `bit ${bit}`);
  }
});

test('random bytes give a rejection and never throw', () => {
  const garbage = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  // Random bytes fail at the magic; with a valid prefix they reach the later checks.
  const prefixed = garbage.map((bytes) => {
    const batch = Buffer.concat([javaBatches.none.subarray(0, 21), Buffer.alloc(40), bytes]);
    batch.set(bytes.subarray(0, 40), 21);
    batch.writeInt32BE(batch.length - 12, headerAt.batchLength);
    sealBatch(batch);
    return batch;
  });
  fc.assert(
    fc.property(fc.oneof(garbage, prefixed), (records) => {
      const result = validateProducedBatch(records, rules);
      if (!result.ok) assert.ok(result.message.length > 0);
    }),
    { numRuns: 1000 },
  );
});
