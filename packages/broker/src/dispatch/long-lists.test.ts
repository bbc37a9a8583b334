import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { requireShortTurns } from '@weir/core/testing';
import { openSession } from '@weir/security';
import {
  type Api,
  type Apis,
  apis,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodePacedResponse,
  encodeRequest,
  type ResponseOf,
  type WriteStruct,
} from '@weir/wire';
import { batchOf } from '../../testing/data-path.ts';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { TransactionalProducer } from '../../testing/transactional-client.ts';
import { brokerLimits } from '../limits.ts';
import { inTurns } from '../requests/turns.ts';

/** More than were once served, and fewer than a cluster can have. */
const partitionCount = 60_000;

type Long = 'Produce' | 'Fetch' | 'OffsetForLeaderEpoch' | 'OffsetCommit' | 'TxnOffsetCommit';

const session = openSession({ remoteAddress: '10.0.0.7', remotePort: 40_000 });

/** Serves a request as a listener does, from its bytes to those of its answer. */
async function ask<Name extends Long>(
  agent: LeaderAgent,
  name: Name,
  apiVersion: number,
  frame: Buffer,
  connection = new AbortController().signal,
): Promise<ResponseOf<Apis[Name]>> {
  const api = apis[name] as unknown as Api;
  const { bodyStart } = decodeRequestHeader(frame);
  const { body } = decodeRequestBody(api, apiVersion, frame, bodyStart);
  const answer = await agent.server.serve({
    api,
    apiVersion,
    correlationId: 7,
    clientId: 'test',
    body,
    requestBytes: frame.length,
    session,
    closed: connection,
  });
  assert.ok(typeof answer !== 'string', `${name}: ${String(answer)}`);
  const slices = await inTurns(encodePacedResponse(api, apiVersion, 7, answer), systemClock);
  const decoded = decodeResponse(api, apiVersion, Buffer.concat(slices).subarray(4));
  return decoded.body as ResponseOf<Apis[Name]>;
}

function frameOf<Name extends Long>(
  name: Name,
  apiVersion: number,
  body: WriteStruct<Apis[Name]['request']['fields']>,
): Buffer {
  const header = { correlationId: 7, clientId: 'test' };
  return Buffer.concat(
    encodeRequest(apis[name] as unknown as Api, apiVersion, header, body as never),
  ).subarray(4);
}

const partitionsTo = <Entry>(count: number, entryOf: (partition: number) => Entry): Entry[] =>
  Array.from({ length: count }, (_, partition) => entryOf(partition));

const batch = batchOf(['v']);

function produceFrame(partitions: readonly number[], acks = -1): Buffer {
  const partitionData = partitions.map((index) => ({ index, records: batch }));
  const topicData = [{ name: 't', partitionData }];
  return frameOf('Produce', 12, { transactionalId: null, acks, timeoutMs: 60_000, topicData });
}

function commitFrame(partitions: readonly number[], offset: bigint, committedMetadata = ''): Buffer {
  const group = { groupId: 'g', generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null };
  const rows = partitions.map((partitionIndex) => ({
    partitionIndex,
    committedOffset: offset,
    committedLeaderEpoch: -1,
    committedMetadata,
  }));
  return frameOf('OffsetCommit', 9, { ...group, topics: [{ name: 't', partitions: rows }] });
}

function transactionCommitFrame(
  partitions: readonly number[],
  offset: bigint,
  { transactionalId, producerId, producerEpoch }: TransactionalProducer,
): Buffer {
  const rows = partitions.map((partitionIndex) => ({
    partitionIndex,
    committedOffset: offset,
    committedLeaderEpoch: -1,
    committedMetadata: '',
  }));
  return frameOf('TxnOffsetCommit', 5, {
    transactionalId,
    producerId,
    producerEpoch,
    groupId: 'g',
    topics: [{ name: 't', partitions: rows }],
  });
}

function fetchFrame(
  count: number,
  options: { sessionId?: number; sessionEpoch?: number; wait?: number } = {},
) {
  const { sessionId = 0, sessionEpoch = -1, wait = 0 } = options;
  return frameOf('Fetch', 12, {
    replicaId: -1,
    maxWaitMs: wait,
    minBytes: 1,
    maxBytes: 1 << 20,
    isolationLevel: 0,
    sessionId,
    sessionEpoch,
    topics: [
      {
        topic: 't',
        partitions: partitionsTo(count, (partition) => ({
          partition,
          fetchOffset: 0n,
          partitionMaxBytes: 1 << 20,
        })),
      },
    ],
    forgottenTopicsData: [],
  });
}

test('requests for very many partitions are answered in their order, without a long turn', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', partitionCount);
  const all = partitionsTo(partitionCount, (partition) => partition);
  const producer = new TransactionalProducer(agent, 'x', 'bumping');
  assert.equal(await producer.init(), 'NONE');
  const epochs = frameOf('OffsetForLeaderEpoch', 4, {
    topics: [
      {
        topic: 't',
        partitions: partitionsTo(partitionCount, (partition) => ({ partition, leaderEpoch: 0 })),
      },
    ],
  });
  const rows: { name: Long; run: () => Promise<number[][]> }[] = [
    {
      name: 'Produce',
      run: async () => {
        const { responses } = await ask(agent, 'Produce', 12, produceFrame(all));
        return responses[0]!.partitionResponses.map(({ index, errorCode }) => [index, errorCode]);
      },
    },
    {
      name: 'Fetch',
      run: async () => {
        const { responses } = await ask(agent, 'Fetch', 12, fetchFrame(partitionCount));
        return responses[0]!.partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode]);
      },
    },
    {
      name: 'OffsetForLeaderEpoch',
      run: async () => {
        const { topics } = await ask(agent, 'OffsetForLeaderEpoch', 4, epochs);
        return topics[0]!.partitions.map(({ partition, errorCode }) => [partition, errorCode]);
      },
    },
    {
      name: 'OffsetCommit',
      run: async () => {
        const { topics } = await ask(agent, 'OffsetCommit', 9, commitFrame(all, 1n));
        return topics[0]!.partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode]);
      },
    },
    {
      name: 'TxnOffsetCommit',
      run: async () => {
        const frame = transactionCommitFrame(all, 1n, producer);
        const { topics } = await ask(agent, 'TxnOffsetCommit', 5, frame);
        return topics[0]!.partitions.map(({ partitionIndex, errorCode }) => [partitionIndex, errorCode]);
      },
    },
  ];
  for (const { name, run } of rows) {
    let answers: number[][] = [];
    await requireShortTurns(async () => {
      answers = await run();
    });
    const wrong = answers.findIndex(([partition, errorCode], at) => partition !== at || errorCode !== 0);
    assert.deepEqual([answers.length, wrong], [partitionCount, -1], name);
  }
});

test('records that follow a long request on its connection are written after it', async () => {
  await using agent = await startLeaderAgent();
  const partitions = 2 * brokerLimits.appendBatchesMax + 3;
  await agent.addTopic('t', partitions);
  const last = partitions - 1;
  const connection = new AbortController().signal;
  const sent = [partitionsTo(partitions, (partition) => partition), [last], [0, last], [last]].map((one) =>
    ask(agent, 'Produce', 12, produceFrame(one), connection),
  );
  const offsets = (await Promise.all(sent)).map(({ responses }) => {
    const found = responses[0]!.partitionResponses.find(({ index }) => index === last)!;
    return [found.errorCode, Number(found.baseOffset)];
  });
  assert.deepEqual(offsets, [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
  ]);
});

test('offsets that follow a long commit on its connection are committed after it', async () => {
  await using agent = await startLeaderAgent();
  const partitions = brokerLimits.gatheredRowsMax + brokerLimits.entriesPerTurnMax;
  await agent.addTopic('t', partitions);
  const last = partitions - 1;
  const all = partitionsTo(partitions, (partition) => partition);
  const some = partitionsTo(200, (partition) => last - 199 + partition);
  const connection = new AbortController().signal;
  const committed = async () => {
    const request = { groupId: 'g', topics: [{ name: 't', partitionIndexes: [last] }], requireStable: false };
    const answer = await agent.call('OffsetFetch', 7, request);
    assert.ok(typeof answer !== 'string');
    return Number(answer.topics[0]!.partitions[0]!.committedOffset);
  };
  // A long list, and a short one whose metadata does not fit into one call.
  for (const frame of [commitFrame(all, 1n), commitFrame(some, 3n, 'm'.repeat(4_000))]) {
    const before = Math.max(0, await committed());
    const answers = await Promise.all([
      ask(agent, 'OffsetCommit', 9, frame, connection),
      ask(agent, 'OffsetCommit', 9, commitFrame([last], BigInt(before + 20)), connection),
      ask(agent, 'OffsetCommit', 9, commitFrame([last], BigInt(before + 21)), connection),
    ]);
    for (const { topics } of answers)
      assert.ok(topics[0]!.partitions.every(({ errorCode }) => errorCode === 0));
    assert.equal(await committed(), before + 21);
  }
});

test('a long poll of very many partitions ends when the last of them grows, and a session goes on with it', async () => {
  await using agent = await startLeaderAgent();
  const partitions = 3 * brokerLimits.entriesPerTurnMax;
  await agent.addTopic('t', partitions);
  const last = partitions - 1;
  const waiting = ask(agent, 'Fetch', 12, fetchFrame(partitions, { sessionEpoch: 0, wait: 60_000 }));
  await ask(agent, 'Produce', 12, produceFrame([last]));
  const first = await waiting;
  const withRecords = ({ responses }: ResponseOf<Apis['Fetch']>) =>
    responses.flatMap((topic) => topic.partitions).filter(({ records }) => (records?.length ?? 0) > 0);
  assert.deepEqual(
    withRecords(first).map(({ partitionIndex }) => partitionIndex),
    [last],
  );
  const { sessionId = 0 } = first;
  assert.ok(sessionId > 0);
  const next = await ask(agent, 'Fetch', 12, fetchFrame(0, { sessionId, sessionEpoch: 1 }));
  assert.deepEqual(
    withRecords(next).map(({ partitionIndex }) => partitionIndex),
    [last],
  );
});

test('a request that names everything that a cluster can have is served, and refusals are in turns, too', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 1);
  const count = brokerLimits.entriesPerRequestMax - 1;
  const topics = [
    { topic: 't', partitions: partitionsTo(count, (partition) => ({ partition, leaderEpoch: 0 })) },
  ];
  const frame = frameOf('OffsetForLeaderEpoch', 4, { topics });
  await requireShortTurns(async () => {
    const answer = await ask(agent, 'OffsetForLeaderEpoch', 4, frame);
    assert.equal(answer.topics[0]!.partitions.length, count);
  });
});
