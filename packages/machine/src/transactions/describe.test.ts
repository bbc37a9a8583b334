import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionFilter } from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';

/** A transactional id in each state; the open transaction began 500 ms ago. */
function cluster(): Cluster {
  const made = new Cluster();
  made.create('a', 2);
  for (const name of ['empty', 'open', 'committed', 'aborted']) {
    const producer = new TestProducer(made, name);
    producer.init();
    if (name === 'empty') continue;
    producer.send('a', 1, 3);
    if (name !== 'open') producer.end(name === 'committed');
  }
  made.nowMs += 500;
  return made;
}

test('a transaction is described, and an unknown id gets an error', () => {
  const [open, unknown] = cluster().machine.describeTransactions(['open', 'nobody']);
  assert.deepEqual(open, {
    error: 'NONE',
    transactionalId: 'open',
    producerId: 2,
    producerEpoch: 0,
    state: 'Ongoing',
    timeoutMs: 60_000,
    startMs: 1_000_000,
    partitions: [{ topicId: 'a', partition: 1 }],
  });
  assert.deepEqual([unknown!.error, unknown!.transactionalId], ['TRANSACTIONAL_ID_NOT_FOUND', 'nobody']);
});

const filters: [what: string, filter: Partial<TransactionFilter>, names: string[]][] = [
  ['all transactions', {}, ['empty', 'open', 'committed', 'aborted']],
  ['by state', { states: ['Ongoing', 'CompleteAbort'] }, ['open', 'aborted']],
  ['by a state that no transaction has', { states: ['PrepareCommit'] }, []],
  ['by producer', { producerIds: [1, 3] }, ['empty', 'committed']],
  ['transactions open for 500 ms', { openForMs: 500 }, ['open']],
  ['transactions open for more than 500 ms', { openForMs: 501 }, []],
  ['open transactions', { openForMs: 0 }, ['open']],
];

for (const [what, filter, names] of filters) {
  test(`lists ${what}`, () => {
    const made = cluster();
    const all = { states: [], producerIds: [], openForMs: -1 };
    const listed = made.machine.listTransactions({ ...all, ...filter }, made.nowMs);
    assert.deepEqual(
      listed.map(({ transactionalId }) => transactionalId),
      names,
    );
  });
}

test('producers of a partition are described with the first offset of their open transaction', () => {
  const made = cluster();
  made.commit({ topicId: 'a', partition: 1, producerId: 77, epoch: 4, sequence: 9, records: 2 });
  const [written, empty, noPartition, noTopic] = made.machine.describeProducers([
    { topicId: 'a', partition: 1 },
    { topicId: 'a', partition: 0 },
    { topicId: 'a', partition: 2 },
    { topicId: 'z', partition: 0 },
  ]);
  const at = { lastTimestampMs: 1_000_000, lastSequence: 2, producerEpoch: 0, transactionStartOffset: -1 };
  assert.deepEqual(written!.producers, [
    { ...at, producerId: 2, transactionStartOffset: 0 },
    { ...at, producerId: 3 },
    { ...at, producerId: 4 },
    { ...at, producerId: 77, producerEpoch: 4, lastSequence: 10, lastTimestampMs: 1_000_500 },
  ]);
  assert.deepEqual(empty, { error: 'NONE', producers: [] });
  assert.deepEqual([noPartition!.error, noTopic!.error], ['UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_ID']);
});
