import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileCommit } from '@weir/cluster';
import { youngFileId } from '@weir/core/testing';
import { fileCommit } from '@weir/machine/testing';
import { leaderAndStandby } from '../../testing/leader-stage.ts';
import type { ClusterNode } from './cluster-node.ts';

/** Two control-plane processes, of which the first leads, and a producer with an open transaction. */
async function world() {
  const { clock, a: first, b: second } = await leaderAndStandby(100);
  const topics = [{ name: 't', partitionCount: 1, configs: {} }];
  const [created] = await first.node.createTopics(topics, { validateOnly: false });
  const { topicId } = created!.topic!;
  const { producerId, producerEpoch } = await first.node.initTransactionalProducer({
    transactionalId: 'tx',
    timeoutMs: 10_000,
    producerId: -1,
    producerEpoch: -1,
  });
  const file = (number: number): FileCommit => ({
    ...fileCommit(number, [
      { topicId, producerId, sequence: number - 1, transactionalId: 'tx', addsPartition: true },
    ]),
    fileId: youngFileId(number),
  });
  await first.node.commitFiles([file(1)]);
  const caller = { transactionalId: 'tx', producerId, producerEpoch };
  return { clock, first, second, topicId, file, caller };
}

async function stableOffset(node: ClusterNode, topicId: string): Promise<number> {
  const [answer] = await node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1 }]);
  return answer!.lastStableOffset;
}

test('a new leader aborts transactions that its predecessor left open for too long', async () => {
  const { clock, first, second, topicId, file } = await world();
  await clock.pass(5_000);
  first.process.kill();
  await clock.pass(4_000);
  assert.equal(second.node.role, 'leader');
  assert.equal(await stableOffset(second.node, topicId), 0);
  await clock.pass(3_000);
  assert.equal(await stableOffset(second.node, topicId), 2);
  const [described] = await second.node.describeTransactions(['tx']);
  assert.deepEqual([described!.state, described!.producerEpoch], ['CompleteAbort', 1]);
  const [late] = await second.node.commitFiles([file(2)]);
  assert.notEqual(late!.error[0], 0);
});

test('an EndTxn that is repeated after a failover is executed once, also with another request id', async () => {
  const { clock, first, second, topicId, caller } = await world();
  const origin = { connection: 'c', request: 1 };
  const request = { ...caller, origin, isCommit: true, bumpsEpoch: true };
  const answer = await first.node.forRequest('client:1').endTransaction(request);
  first.process.kill();
  await clock.pass(6_000);
  assert.equal(second.node.role, 'leader');
  assert.deepEqual(await second.node.forRequest('client:1').endTransaction(request), answer);
  assert.deepEqual(await second.node.forRequest('client:2').endTransaction(request), answer);
  const [found] = await second.node.findBatches([{ topicId, partition: 0, offset: 0, bytesMax: 1000 }]);
  assert.deepEqual([found!.nextOffset, [...found!.pointers.markers!.isCommit]], [2, [1]]);
});

test('transactions are listed by their duration, by the clock of the leader', async () => {
  const { clock, first } = await world();
  await clock.pass(3_000);
  const list = async (openForMs: number) =>
    (await first.node.listTransactions({ states: [], producerIds: [], openForMs })).length;
  assert.deepEqual([await list(2_000), await list(4_000)], [1, 0]);
});

test('a member that its group does not know cannot commit offsets in a transaction', async () => {
  const { first, topicId, caller } = await world();
  const request = {
    ...caller,
    groupId: 'g',
    generationIdOrMemberEpoch: 3,
    memberId: 'unknown',
    groupInstanceId: null,
    addsGroup: true,
    offsets: [{ topicId, partition: 0, offset: 5, leaderEpoch: -1, metadata: '' }],
  };
  const refused = await first.node.commitTransactionOffsets(request);
  assert.deepEqual([refused.error, refused.offsets], ['GROUP_ID_NOT_FOUND', []]);
  const outsider = { ...request, generationIdOrMemberEpoch: -1, memberId: '' };
  assert.deepEqual(await first.node.commitTransactionOffsets(outsider), {
    error: 'NONE',
    message: null,
    offsets: ['NONE'],
  });
});
