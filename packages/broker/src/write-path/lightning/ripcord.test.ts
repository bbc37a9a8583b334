import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileSequenceLeaseMs } from '@weir/cluster';
import { fileIdSequence } from '@weir/core';
import { settle } from '@weir/core/testing';
import { isFileId, sequenceEndKey } from '@weir/storage';
import { errors } from '@weir/wire';
import {
  batchOf,
  DataPath,
  type DataPathOptions,
  produced,
  produceRequest,
} from '../../../testing/data-path.ts';
import { append } from '../../../testing/write-path-stage.ts';

/** An agent with ripcord and a topic of the type classic, some seconds after its start. */
async function stage(options: DataPathOptions = {}) {
  const path = new DataPath({ lightningAgentId: 'a', hasRipcord: true, ...options });
  const { topicId } = path.cluster.addTopic('t', 1);
  path.cluster.addTopic('u', 1);
  await path.ready();
  await path.clock.pass(5_000);
  const write = async (value: string) => {
    const written = append(path, [{ ...produced(topicId, 0, batchOf([value])), isLightning: true }]);
    await settle();
    path.clock.advance(3);
    await settle();
    return written;
  };
  const produce = async (topic: string, batch: Buffer) => {
    const answering = path.call('Produce', 9, produceRequest(topic, [batch]));
    await settle();
    path.clock.advance(3);
    const answer = await answering;
    assert.ok(typeof answer === 'object');
    const { errorCode, baseOffset } = answer.responses[0]!.partitionResponses[0]!;
    return { errorCode, baseOffset };
  };
  const fileIds = () =>
    [...path.store.objects.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1)).filter(isFileId);
  return { path, topicId, write, produce, fileIds, end: () => path.view.ends(topicId, 0)?.nextOffset };
}

const accepted = { errorCode: errors.NONE.code, baseOffset: 0n };

test('all topics are lightning topics, also those that are written first while there is no leader', async () => {
  const { path, produce } = await stage();
  assert.deepEqual(await produce('t', batchOf(['a'])), accepted);
  assert.deepEqual(await produce('t', batchOf(['b'])), accepted);
  const idempotent = batchOf(['a'], { producerId: 7n, producerEpoch: 0, baseSequence: 0 });
  assert.equal((await produce('t', idempotent)).errorCode, errors.INVALID_REQUEST.code);
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  assert.deepEqual(await produce('u', batchOf(['c'])), accepted);
});

test('an agent that never wrote has a sequence when the leader goes', async () => {
  const { path, write, end } = await stage();
  path.cluster.unavailable = true;
  await path.clock.pass(3_600_000);
  for (const value of ['a', 'b', 'c']) assert.deepEqual((await write(value)).errors, ['NONE']);
  assert.equal(end(), 0);
  path.cluster.unavailable = false;
  await path.clock.pass(10_000);
  assert.equal(end(), 3);
});

test('while the leader answers, the bucket is not asked', async () => {
  const { path, write } = await stage();
  let heads = 0;
  path.store.head = async () => {
    heads++;
    return undefined;
  };
  await write('a');
  await path.clock.pass(60_000);
  assert.equal(heads, 0);
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  assert.ok(heads > 10 && heads < 31, `${heads} in a minute`);
});

test('an agent to which the bucket gives no lease acknowledges nothing', async () => {
  const { path, write } = await stage();
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  path.store.head = () => Promise.reject(new Error('the store is on fire'));
  await path.clock.pass(fileSequenceLeaseMs);
  assert.equal((await write('a')).outcome, undefined);
});

test('an object that ends the sequence ends its acknowledgements', async () => {
  const { path, write, fileIds } = await stage();
  await write('a');
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  const sequence = fileIdSequence(fileIds()[0]!);
  path.store.objects.set(sequenceEndKey(path.cluster.clusterId, sequence), Buffer.from(sequence));
  await path.clock.pass(fileSequenceLeaseMs);
  assert.equal((await write('b')).outcome, undefined);
});

test('files beyond the limit are left, and what follows waits until a job has committed them', async () => {
  const { path, write, end } = await stage({ sealedFilesMax: 3 });
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  for (let n = 0; n < 10; n++) assert.deepEqual((await write(String(n))).errors, ['NONE']);
  const outstanding = () =>
    path.metrics.read().find(({ row }) => row.name === 'agent_ripcord_outstanding_replays_count')!.series[0]!
      .value;
  assert.equal(outstanding(), 10);
  await path.clock.pass(5_000);
  const age = path.metrics.read().find(({ row }) => row.name === 'agent_ripcord_oldest_replay_age')!;
  assert.ok(age.series[0]!.value >= 4);
  path.cluster.unavailable = false;
  await path.clock.pass(20_000);
  assert.deepEqual((await write('later')).errors, ['NONE']);
  await path.clock.pass(20_000);
  assert.equal(end(), 0, 'no job ran');
  assert.equal(outstanding(), 11);
});

test('an agent that stops without a leader leaves what it acknowledged', async () => {
  const { path, write } = await stage();
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  await write('a');
  let isDrained = false;
  void path.writePath.drain().then(() => {
    isDrained = true;
  });
  await path.clock.pass(30_000);
  assert.equal(isDrained, true);
});

test('consumers get what the agent knows while there is no leader', async () => {
  const { path, write, end } = await stage();
  await write('a');
  await path.clock.pass(5_000);
  assert.equal(end(), 1);
  path.cluster.unavailable = true;
  await path.clock.pass(60_000);
  assert.equal(path.view.isStale(), false);
  const offsets = await path.call('ListOffsets', 6, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [{ name: 't', partitions: [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -1n }] }],
  });
  assert.ok(typeof offsets === 'object');
  const [found] = offsets.topics[0]!.partitions;
  assert.deepEqual([found!.errorCode, found!.offset], [errors.NONE.code, 1n]);
});
