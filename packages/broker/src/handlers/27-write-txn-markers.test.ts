import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered } from '../../testing/test-agent-server.ts';
import {
  errorName,
  fetchOnce,
  type Protocol,
  TransactionalProducer,
} from '../../testing/transactional-client.ts';

interface Marker {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly commits?: boolean;
  readonly topic?: string;
  readonly partitions?: readonly number[];
}

async function write(agent: LeaderAgent, version: number, marker: Marker): Promise<readonly string[]> {
  const { producerId, producerEpoch, commits = false, topic = 't', partitions = [0] } = marker;
  const { markers } = answered(
    await agent.call('WriteTxnMarkers', version, {
      markers: [
        {
          ...{ producerId, producerEpoch, transactionResult: commits, coordinatorEpoch: 0 },
          topics: [{ name: topic, partitionIndexes: [...partitions] }],
        },
      ],
    }),
  );
  return markers[0]!.topics[0]!.partitions.map(({ errorCode }) => errorName(errorCode));
}

for (const protocol of ['announcing', 'bumping'] as const satisfies readonly Protocol[]) {
  test(`an operator aborts the transaction of a producer: ${protocol}`, async () => {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t', 3);
    for (const version of [1, 2]) {
      const producer = new TransactionalProducer(agent, `tx-${version}`, protocol);
      await producer.init();
      if (protocol === 'announcing') await producer.addPartitions('t', 0, 1);
      await producer.send('t', 0, 'left');
      await producer.send('t', 1, 'left too');
      const { producerId, producerEpoch } = producer;
      assert.deepEqual(
        [
          await write(agent, version, { producerId, producerEpoch, commits: true }),
          await write(agent, version, { producerId: producerId + 100n, producerEpoch }),
          await write(agent, version, { producerId, producerEpoch: producerEpoch + 1 }),
          await write(agent, version, { producerId, producerEpoch, partitions: [0, 2] }),
          await write(agent, version, { producerId, producerEpoch, topic: 'absent' }),
        ],
        [
          ['INVALID_REQUEST'],
          ['INVALID_PRODUCER_ID_MAPPING'],
          ['INVALID_PRODUCER_EPOCH'],
          ['OPERATION_NOT_ATTEMPTED', 'INVALID_TXN_STATE'],
          ['UNKNOWN_TOPIC_OR_PARTITION'],
        ],
      );
      const open = await fetchOnce(agent, 't', { committed: true });
      assert.ok(open.lastStableOffset < open.highWatermark);

      assert.deepEqual(await write(agent, version, { producerId, producerEpoch }), ['NONE']);
      // All of it has ended, and a repeated request finds nothing to do.
      for (const partition of [0, 1]) {
        const read = await fetchOnce(agent, 't', { committed: true, partition });
        assert.deepEqual([read.values, read.lastStableOffset], [[], read.highWatermark]);
      }
      assert.deepEqual(await write(agent, version, { producerId, producerEpoch }), ['NONE']);
      assert.notEqual(await producer.send('t', 0, 'late'), 'NONE');
      // A producer that lives begins again.
      assert.equal(await producer.init(), 'NONE');
    }
  });
}
