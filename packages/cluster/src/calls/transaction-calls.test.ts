import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transactionCalls } from './transaction-calls.ts';

const caller = { transactionalId: 'tx', producerId: 1, producerEpoch: 0 };
const origin = { connection: 'agent:1', request: 7 };
const offset = { topicId: 'a', partition: 0, offset: 5, leaderEpoch: -1, metadata: '' };
const committer = { groupId: 'g', generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null };

// A valid argument, and the problem when one member is changed.
const calls: [method: keyof typeof transactionCalls, arg: unknown, change: object, problem: string][] = [
  [
    'initTransactionalProducer',
    { transactionalId: 'tx', timeoutMs: 1, producerId: -1, producerEpoch: -1 },
    { timeoutMs: '1' },
    'timeoutMs: not a number',
  ],
  [
    'addPartitionsToTransaction',
    { ...caller, origin, partitions: [{ topicId: 'a', partition: 0 }] },
    { partitions: [{ topicId: 'a' }] },
    'partition: not a whole number',
  ],
  [
    'addOffsetsToTransaction',
    { ...caller, origin, groupId: 'g' },
    { origin: { connection: 'agent:1' } },
    'request: not a whole number',
  ],
  [
    'commitTransactionOffsets',
    { ...caller, ...committer, addsGroup: true, offsets: [offset] },
    { groupInstanceId: 5 },
    'groupInstanceId: not a text',
  ],
  [
    'endTransaction',
    { ...caller, origin, isCommit: true, bumpsEpoch: false },
    { isCommit: 1 },
    'isCommit: not true or false',
  ],
  [
    'listTransactions',
    { states: ['Ongoing'], producerIds: [1], openForMs: -1 },
    { states: 'Ongoing' },
    'states: not a list',
  ],
];

for (const [method, arg, change, problem] of calls) {
  test(`${method} takes what it should and nothing else`, () => {
    const { args } = transactionCalls[method];
    assert.equal(args([arg], method), undefined);
    assert.match(args([{ ...(arg as object), ...change }], method) ?? '', new RegExp(problem));
    assert.notEqual(args([], method), undefined);
  });
}

test('queries about transactions accept lists', () => {
  assert.equal(transactionCalls.describeTransactions.args([['tx']], 'args'), undefined);
  assert.notEqual(transactionCalls.describeTransactions.args([[5]], 'args'), undefined);
  assert.equal(
    transactionCalls.describeProducers.args([[{ topicId: 'a', partition: 1 }]], 'args'),
    undefined,
  );
  assert.notEqual(transactionCalls.describeProducers.args([['a']], 'args'), undefined);
});
