import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { batchRecords, type CompressionCodec, compress, RecordBatchView } from '@weir/wire';
import fc from 'fast-check';
import { type MessageToWrite, oldMessage, oldWrapper } from '../../testing/old-log.ts';
import { walkAnswer } from './walk.ts';

const walk = (records: Buffer, expectedOffset = 0) =>
  walkAnswer(Buffer.from(records), { expectedOffset, clock: systemClock });

/** Walks a log to its end, and returns what readers of the copy see. */
async function copied(records: Buffer, expectedOffset = 0) {
  const { batches, slices, problem } = await walk(records, expectedOffset);
  assert.equal(problem, undefined);
  const joined = Buffer.concat(slices);
  return batches.map(({ byteStart, byteLength, baseOffset, nextOffset }) => {
    const view = new RecordBatchView(joined.subarray(byteStart, byteStart + byteLength));
    assert.ok(view.hasValidCrc());
    assert.deepEqual([Number(view.baseOffset), Number(view.nextOffset)], [baseOffset, nextOffset]);
    return {
      codec: view.codec,
      timestampType: view.timestampType,
      records: [...batchRecords(view)].map(
        ({ offset, timestamp, key, value }) => `${offset} @${timestamp} ${key}=${value}`,
      ),
    };
  });
}

const messages: readonly MessageToWrite[] = [
  { offset: 3, timestamp: 30, key: 'a', value: 'one' },
  { offset: 4, timestamp: 20, key: null, value: 'two' },
  { offset: 9, timestamp: 50, key: 'c', value: null },
];
/** After the offsets 5 to 8 were compacted away. */
const asRecords = (times: readonly number[]) => [
  `3 @${times[0]} a=one`,
  `4 @${times[1]} null=two`,
  `9 @${times[2]} c=null`,
];

test('messages that follow each other share a batch, with their offsets and times', async () => {
  const log = Buffer.concat(messages.map((message) => oldMessage(message, { magic: 1 })));
  assert.deepEqual(await copied(log), [
    { codec: 'none', timestampType: 'createTime', records: asRecords([30, 20, 50]) },
  ]);
});

test('messages of magic 0 have no times', async () => {
  const log = Buffer.concat(messages.map((message) => oldMessage(message, { magic: 0 })));
  assert.deepEqual(await copied(log), [
    { codec: 'none', timestampType: 'createTime', records: asRecords([-1, -1, -1]) },
  ]);
});

for (const codec of ['gzip', 'snappy', 'lz4'] as const satisfies readonly CompressionCodec[])
  for (const magic of [0, 1] as const)
    test(`a wrapper of magic ${magic} with ${codec} is a batch of its own with the same codec`, async () => {
      const times = magic === 0 ? [-1, -1, -1] : [30, 20, 50];
      assert.deepEqual(await copied(oldWrapper(messages, { magic, codec })), [
        { codec, timestampType: 'createTime', records: asRecords(times) },
      ]);
    });

test('the time of the broker is that of all messages in a wrapper', async () => {
  const log = oldWrapper(messages, { magic: 1, codec: 'gzip', isAppendTime: true, timestamp: 77 });
  assert.deepEqual(await copied(log), [
    { codec: 'gzip', timestampType: 'logAppendTime', records: asRecords([77, 77, 77]) },
  ]);
});

test('single messages with different times of the broker are in different batches', async () => {
  const log = Buffer.concat(messages.map((message) => oldMessage(message, { magic: 1, isAppendTime: true })));
  assert.deepEqual(
    (await copied(log)).map(({ records }) => records),
    asRecords([30, 20, 50]).map((record) => [record]),
  );
});

test('a wrapper that is copied in part goes on within', async () => {
  const log = oldWrapper(messages, { magic: 1, codec: 'snappy' });
  assert.deepEqual(
    (await copied(log, 4)).flatMap(({ records }) => records),
    asRecords([30, 20, 50]).slice(1),
  );
});

// The checksum of the magic and the descriptor 60 40, as those clients wrote it, and one that is neither.
for (const [checksum, isRead] of [
  [0x1a, true],
  [0x1b, false],
] as const)
  test(`LZ4 of clients before 2016, whose header checksum covers too much: ${isRead ? 'read' : 'refused'}`, async () => {
    const frame = compress(
      'lz4',
      Buffer.concat(messages.map((message) => oldMessage(message, { magic: 0 }))),
    );
    assert.equal(frame.toString('hex', 0, 7), '04224d18604082', 'the frame of our own writer');
    frame[6] = checksum;
    const log = oldMessage({ offset: 9, value: frame }, { magic: 0, codec: 'lz4' });
    if (isRead) assert.deepEqual((await copied(log))[0]!.records, asRecords([-1, -1, -1]));
    else assert.match((await walk(log)).problem!.message, /header checksum/);
  });

// biome-ignore format: a table
const damaged: readonly [what: string, entry: Buffer, message: RegExp][] = [
  ['a flipped bit',                    flipped(oldMessage(messages[0]!, { magic: 1 })),                                        /has the CRC \d+, which does not match/],
  ['a codec of later formats',         oldMessage({ offset: 3, value: 'x' }, { magic: 1, codec: 'zstd' }),                     /codec 4, which its format does not have/],
  ['a wrapper without a value',        oldMessage({ offset: 3, value: null }, { magic: 1, codec: 'gzip' }),                    /a wrapper without a value/],
  ['a wrapper of nothing',             oldMessage({ offset: 3, value: compress('gzip', Buffer.alloc(0)) }, { magic: 1, codec: 'gzip' }), /a wrapper without messages/],
  ['a wrapper of other bytes',         oldMessage({ offset: 3, value: 'no gzip' }, { magic: 1, codec: 'gzip' }),               /cannot be decompressed/],
  ['a wrapper within a wrapper',       oldMessage({ offset: 9, value: compress('gzip', oldWrapper(messages, { magic: 1, codec: 'gzip' })) }, { magic: 1, codec: 'gzip' }), /is a wrapper within a wrapper/],
  ['two formats in a wrapper',         oldMessage({ offset: 3, value: compress('gzip', oldMessage({ offset: 0, value: 'x' }, { magic: 0 })) }, { magic: 1, codec: 'gzip' }), /several formats/],
  ['offsets that go back',             oldMessage({ offset: 9, value: compress('gzip', Buffer.concat([5, 3, 9].map((offset) => oldMessage({ offset }, { magic: 0 })))) }, { magic: 0, codec: 'gzip' }), /do not increase/],
  ['a wrapper that ends early',        oldMessage({ offset: 3, value: compress('gzip', oldMessage({ offset: 0, value: 'x' }, { magic: 1 }).subarray(0, 30)) }, { magic: 1, codec: 'gzip' }), /has a message of 23 bytes inside it/],
  ['a negative offset',                oldMessage({ offset: -4, value: 'x' }, { magic: 1 }),                                   /no offset of a log/],
];

for (const [what, entry, message] of damaged)
  test(`${what} stops the partition, and what is before it is copied`, async () => {
    const before = oldMessage({ offset: 1, value: 'before' }, { magic: 1 });
    const found = await walk(Buffer.concat([before, entry]));
    assert.equal(found.problem?.kind, 'damaged');
    assert.match(found.problem!.message, message);
    assert.equal(found.nextOffset, 2);
  });

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length - 1]! ^= 1;
  return bytes;
}

test('a message that inflates to more than is allowed is refused before it takes the memory', async () => {
  const bomb = oldWrapper([{ offset: 0, value: Buffer.alloc(70 * 1024 * 1024) }], {
    magic: 1,
    codec: 'gzip',
  });
  assert.ok(bomb.length < 100_000);
  assert.match((await walk(bomb)).problem!.message, /cannot be decompressed: .*67108864/);
});

const logs = fc
  .array(
    fc.record({
      count: fc.integer({ min: 1, max: 6 }),
      gap: fc.nat(3),
      magic: fc.constantFrom(0 as const, 1 as const),
      codec: fc.constantFrom<CompressionCodec>('none', 'gzip', 'snappy', 'lz4'),
      isAppendTime: fc.boolean(),
      value: fc.option(fc.string({ maxLength: 40 })),
    }),
    { maxLength: 20 },
  )
  .map((entries) => {
    let next = 0;
    const expected: string[] = [];
    const bytes = entries.map(({ count, gap, magic, codec, isAppendTime, value }) => {
      next += gap;
      const written = Array.from({ length: codec === 'none' ? 1 : count }, () => {
        const offset = next++;
        return { offset, timestamp: offset * 7, key: `k${offset}`, value };
      });
      const last = written.at(-1)!.timestamp;
      for (const { offset, timestamp, key } of written) {
        const time = magic === 0 ? -1 : isAppendTime ? last : timestamp;
        expected.push(`${offset} @${time} ${key}=${value}`);
      }
      return codec === 'none'
        ? oldMessage(written[0]!, { magic, isAppendTime })
        : oldWrapper(written, { magic, codec, isAppendTime });
    });
    return { bytes: Buffer.concat(bytes), expected };
  });

test('any log of old messages is read by readers of the copy as by those of the source, wherever it is cut', () =>
  fc.assert(
    fc.asyncProperty(logs, fc.nat(), async ({ bytes, expected }, place) => {
      const cut = bytes.length === 0 ? 0 : place % bytes.length;
      const first = await copied(bytes.subarray(0, cut));
      const { nextOffset } = await walk(bytes.subarray(0, cut));
      const rest = await copied(bytes, nextOffset);
      assert.deepEqual(
        [...first, ...rest].flatMap(({ records }) => records),
        expected,
      );
    }),
  ));
