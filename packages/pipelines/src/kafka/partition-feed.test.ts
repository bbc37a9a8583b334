import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEndTransactionMarker, buildRecordBatch, headerAt, rewriteMaxTimestamp } from '@weir/wire';
import { PartitionFeed } from './partition-feed.ts';

const place = { topic: 'orders', partition: 0 };

function batchOf(texts: readonly string[], baseOffset: number): Buffer {
  return buildRecordBatch(
    texts.map((text) => ({ key: null, value: Buffer.from(text), timestamp: 0n })),
    { baseOffset: BigInt(baseOffset) },
  );
}

function endOfTransaction(baseOffset: number): Buffer {
  return buildEndTransactionMarker({
    result: 'commit',
    producerId: 1n,
    producerEpoch: 0,
    coordinatorEpoch: 0,
    timestamp: 0n,
    baseOffset: BigInt(baseOffset),
  });
}

function feedOf({ checkpointLimit = 100, isLimitStrict = true, position = 0, isDropped = false } = {}) {
  const damages: string[] = [];
  let hungry = 0;
  const feed = new PartitionFeed(
    place,
    position,
    {
      checkpointLimit,
      isLimitStrict,
      bytesMax: 1_000,
      hasMultiHeader: false,
      hasLag: false,
      isDropped: () => isDropped,
    },
    undefined,
    {
      ready() {},
      hungry: () => void hungry++,
      damaged: (_, offset, problem) => void damages.push(`${offset}: ${problem}`),
    },
    () => () => {},
  );
  const add = (bytes: Buffer, offset = feed.position!) =>
    feed.add(
      {
        records: bytes,
        aborted: [],
        highWatermark: 100n,
        lastStableOffset: 100n,
        preferredReplicaId: -1,
        logStartOffset: 0n,
        divergingEpoch: undefined,
      },
      offset,
    );
  const take = () => {
    const delivery = feed.next();
    return delivery && { ...delivery, text: delivery.batch[0]!.content.toString() };
  };
  return { feed, add, take, damages, hungry: () => hungry };
}

test('a batch that begins before the position is delivered from there on', () => {
  const { add, take, feed } = feedOf({ position: 6 });
  add(batchOf(['a', 'b', 'c'], 5));
  assert.deepEqual([take()?.text, take()?.text, take()], ['b', 'c', undefined]);
  assert.equal(feed.position, 8);
});

test('an offset can be committed when all before it are settled, and gaps without records count as settled', () => {
  const { add, take, feed } = feedOf();
  add(Buffer.concat([batchOf(['a', 'b'], 0), endOfTransaction(2)]));
  const [a, b] = [take()!, take()!];
  assert.equal(take(), undefined);
  void b.settle();
  assert.equal(feed.committable, undefined);
  void a.settle();
  assert.equal(feed.committable, 3);
  feed.committed(3);
  assert.equal(feed.committable, undefined);
});

test('what was not written holds back the offset, unless it is dropped', () => {
  for (const isDropped of [false, true]) {
    const { add, take, feed } = feedOf({ isDropped });
    add(batchOf(['a'], 0));
    void take()!.settle(new Error('down'));
    assert.equal(feed.committable, isDropped ? 1 : undefined);
  }
});

test('at the limit nothing is delivered, and nothing is fetched', () => {
  const { add, take, feed, hungry } = feedOf({ checkpointLimit: 2 });
  add(batchOf(['a', 'b', 'c'], 0));
  const [a, b] = [take()!, take()!];
  assert.deepEqual([take(), feed.wantsRecords(0)], [undefined, false]);
  void b.settle();
  assert.deepEqual([hungry(), feed.wantsRecords(0)], [1, true]);
  assert.equal(take()?.text, 'c');
  void a.settle();
});

test('a damaged batch stops the partition at its offset, and what came before is delivered', () => {
  const damagedCrc = batchOf(['c'], 2);
  damagedCrc[damagedCrc.length - 1]! ^= 1;
  // A length that lies is found when the records are read.
  for (const damaged of [damagedCrc, unreadable(batchOf(['c', 'd'], 2))]) {
    const { add, take, feed, damages } = feedOf();
    add(Buffer.concat([batchOf(['a', 'b'], 0), damaged]));
    const texts = [];
    for (let one = take(); one !== undefined; one = take()) texts.push(one.text);
    assert.deepEqual(texts, damaged === damagedCrc ? ['a', 'b'] : ['a', 'b', 'c', 'd']);
    assert.match(damages.join(), damaged === damagedCrc ? /^2: / : /^4: /);
    assert.equal(feed.position, damaged === damagedCrc ? 2 : 4);
    add(batchOf(['c'], feed.position));
    assert.equal(take()?.text, 'c');
  }
});

test('after it was revoked nothing is delivered or committed', () => {
  const { add, take, feed } = feedOf();
  add(batchOf(['a', 'b'], 0));
  const a = take()!;
  feed.revoke();
  void a.settle();
  assert.equal(take(), undefined);
  add(batchOf(['c'], 2));
  assert.equal(take(), undefined);
});

/** A batch with a valid checksum that promises more records than it has. */
function unreadable(batch: Buffer): Buffer {
  batch.writeInt32BE(5, headerAt.recordCount);
  rewriteMaxTimestamp(batch, 1n);
  return batch;
}
