import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PartitionLog } from '../log/partition-log.ts';
import { PointerPool } from '../log/pointer-pool.ts';
import type { ProducerState } from './producer-state.ts';
import { Producers } from './producers.ts';

const sequenceMax = 2 ** 31 - 1;
const never = -1;

function emptyLog(partition = 0): PartitionLog {
  return new PartitionLog(0, 'topic', partition, new PointerPool());
}

interface Batch {
  epoch: number;
  sequence: number;
  records: number;
}

/** Checks batches of one producer in order and appends the valid ones. Returns the verdicts. */
function validateAll(batches: readonly Batch[]): string[] {
  const producers = new Producers();
  const log = emptyLog();
  return batches.map(({ epoch, sequence, records }) => {
    const verdict = producers.validate(log, 9, epoch, sequence, records, never);
    if (verdict === 'duplicate') return `duplicate of ${producers.duplicateOffset}`;
    if (verdict === 'continues' || verdict === 'starts') {
      producers.record(log, 9, epoch, sequence, records, log.nextOffset, verdict === 'starts', 0);
      log.nextOffset += records;
    }
    return verdict;
  });
}

const outOfOrder = 'OUT_OF_ORDER_SEQUENCE_NUMBER';
const staleEpoch = 'INVALID_PRODUCER_EPOCH';

/** `epoch:sequence+records`, in order of arrival. */
const cases: [what: string, batches: string, verdicts: string[]][] = [
  ['a producer continues its sequence', '0:0+3 0:3+2 0:5+1', ['starts', 'continues', 'continues']],
  ['an unknown producer may begin anywhere', '4:77+1 4:78+1', ['starts', 'continues']],
  ['batches after a gap are refused', '0:0+1 0:2+1 0:3+1', ['starts', outOfOrder, outOfOrder]],
  ['after a gap the expected sequence is accepted', '0:0+1 0:2+1 0:1+1', ['starts', outOfOrder, 'continues']],
  ['a repeated last batch is a duplicate', '0:0+3 0:0+3', ['starts', 'duplicate of 0']],
  [
    'repetitions of the last five batches are duplicates',
    '0:0+1 0:1+1 0:2+1 0:3+1 0:4+1 0:0+1 0:1+1 0:4+1',
    [
      'starts',
      'continues',
      'continues',
      'continues',
      'continues',
      'duplicate of 0',
      'duplicate of 1',
      'duplicate of 4',
    ],
  ],
  [
    'a repetition of the sixth last batch is out of order',
    '0:0+1 0:1+1 0:2+1 0:3+1 0:4+1 0:5+1 0:0+1 0:1+1',
    ['starts', 'continues', 'continues', 'continues', 'continues', 'continues', outOfOrder, 'duplicate of 1'],
  ],
  ['the same start with more records is no duplicate', '0:0+3 0:0+4', ['starts', outOfOrder]],
  ['the same start with fewer records is no duplicate', '0:0+3 0:0+2', ['starts', outOfOrder]],
  ['sequences wrap between batches', `0:${sequenceMax}+1 0:0+1 0:1+1`, ['starts', 'continues', 'continues']],
  [
    'sequences wrap within a batch',
    `0:${sequenceMax - 1}+4 0:2+1 0:${sequenceMax - 1}+4`,
    ['starts', 'continues', 'duplicate of 0'],
  ],
  ['an older epoch is refused', '3:0+1 2:1+1 2:0+1', ['starts', staleEpoch, staleEpoch]],
  ['a newer epoch starts at 0', '0:0+5 1:0+1 1:1+1', ['starts', 'starts', 'continues']],
  [
    'a newer epoch that starts elsewhere is refused',
    '0:0+5 1:5+1 0:5+1',
    ['starts', outOfOrder, 'continues'],
  ],
  [
    'a batch of an older epoch is no duplicate in the newer',
    '0:0+1 1:0+1 1:0+1 0:0+1',
    ['starts', 'starts', 'duplicate of 1', staleEpoch],
  ],
  ['a producer without a sequence', '0:-1+1', [outOfOrder]],
  ['a producer without an epoch', '-1:0+1', [staleEpoch]],
];

for (const [what, batches, verdicts] of cases) {
  test(what, () => {
    const parsed = [...batches.matchAll(/(-?\d+):(-?\d+)\+(\d+)/g)].map(([, epoch, sequence, records]) => ({
      epoch: Number(epoch),
      sequence: Number(sequence),
      records: Number(records),
    }));
    assert.deepEqual(validateAll(parsed), verdicts);
  });
}

/** From the one idle longest to the one that wrote last. */
function allOf(producers: Producers): ProducerState[] {
  const all = [...producers.capture().oldestFirst()];
  producers.endCapture();
  return all;
}

test('a producer that was idle for too long is unknown', () => {
  const producers = new Producers();
  const log = emptyLog();
  producers.record(log, 1, 0, 0, 1, 0, true, 1000);
  assert.equal(producers.validate(log, 1, 0, 5, 1, 999), outOfOrder);
  assert.equal(producers.validate(log, 1, 0, 0, 1, 999), 'duplicate');
  assert.equal(producers.validate(log, 1, 0, 5, 1, 1000), 'starts');
  assert.equal(producers.validate(log, 1, 0, 0, 1, 1000), 'starts');
  assert.deepEqual([producers.countSilent(999), producers.countSilent(1000)], [0, 1]);
});

test('state is separate per producer and partition', () => {
  const producers = new Producers();
  const [first, second] = [emptyLog(0), emptyLog(1)];
  producers.record(first, 1, 0, 0, 1, 10, true, 0);
  producers.record(second, 1, 0, 7, 1, 20, true, 0);
  producers.record(first, 2, 5, 0, 1, 30, true, 0);
  assert.equal(producers.validate(first, 1, 0, 1, 1, never), 'continues');
  assert.equal(producers.validate(second, 1, 0, 8, 1, never), 'continues');
  assert.equal(producers.validate(first, 2, 5, 1, 1, never), 'continues');
  assert.equal(producers.validate(second, 2, 0, 3, 1, never), 'starts');
});

test('the producers that were idle longest are forgotten first, and their slots are reused', () => {
  const producers = new Producers();
  const log = emptyLog();
  for (let id = 0; id < 200; id++) producers.record(log, id, 0, 0, 1, id, true, id);
  producers.record(log, 0, 0, 1, 1, 300, false, 500);
  producers.forgetOldest(2);
  const known = () => allOf(producers).map(({ producerId }) => producerId);
  assert.equal(producers.count, 198);
  assert.deepEqual(known().slice(0, 2), [3, 4]);
  assert.deepEqual(known().slice(-2), [199, 0]);
  assert.equal(producers.isKnown(log, 1), false);
  producers.record(log, 777, 3, 9, 2, 400, true, 600);
  assert.deepEqual(allOf(producers).at(-1), {
    log,
    producerId: 777,
    epoch: 3,
    writtenMs: 600,
    batches: [{ firstSequence: 9, lastSequence: 10, baseOffset: 400 }],
  });
  producers.forgetOldest(1_000_000);
  assert.deepEqual([producers.count, known(), log.producerSlots], [0, [], undefined]);
});

test('removing a partition removes only its producers', () => {
  const producers = new Producers();
  const [first, second] = [emptyLog(0), emptyLog(1)];
  for (let id = 0; id < 10; id++) producers.record(id % 2 === 0 ? first : second, id, 0, 0, 1, 0, true, id);
  producers.forgetLog(first);
  producers.forgetLog(first);
  assert.deepEqual(
    allOf(producers).map(({ producerId }) => producerId),
    [1, 3, 5, 7, 9],
  );
});

test('restoring states in order of age gives equal states', () => {
  const producers = new Producers();
  const log = emptyLog();
  for (let round = 0; round < 8; round++) {
    for (let id = 0; id < 3; id++) producers.record(log, id, 1, round * 2, 2, round, round === 0, round);
  }
  const states = allOf(producers);
  const restored = new Producers();
  const other = emptyLog();
  for (const state of states) restored.restore({ ...state, log: other });
  assert.deepEqual(
    allOf(restored),
    states.map((state) => ({ ...state, log: other })),
  );
  assert.equal(states[0]!.batches.length, 5);
  assert.equal(restored.validate(other, 2, 1, 16, 1, never), 'continues');
});
