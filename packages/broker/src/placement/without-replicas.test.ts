import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '../../testing/agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';
import { features } from '../cluster/features.ts';

/** Requests of tools about replicas, leaders and features, which are fixed in this cluster. */

test('no partition needs an election', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.addTopic('t', 2);
  for (const version of [0, 1, 2]) {
    const topicPartitions = [
      { topic: 't', partitions: [0, 1, 2, -1] },
      { topic: 'z', partitions: [0] },
    ];
    const request = { ...(version >= 1 ? { electionType: 1 } : {}), topicPartitions, timeoutMs: 1000 };
    const { errorCode, replicaElectionResults } = answered(await call('ElectLeaders', version, request));
    assert.equal(errorCode, 0);
    const needless = codeOf('ELECTION_NOT_NEEDED');
    const unknown = codeOf('UNKNOWN_TOPIC_OR_PARTITION');
    assert.deepEqual(
      replicaElectionResults.map(({ topic, partitionResult }) => [
        topic,
        partitionResult.map((result) => result.errorCode),
      ]),
      [
        ['t', [needless, needless, unknown, unknown]],
        ['z', [unknown]],
      ],
    );
    const all = answered(await call('ElectLeaders', version, { ...request, topicPartitions: null }));
    assert.deepEqual([all.errorCode, all.replicaElectionResults], [0, []]);
  }
  const request = { electionType: 2, topicPartitions: null, timeoutMs: 1000 };
  const { errorCode } = answered(await call('ElectLeaders', 2, request));
  assert.equal(errorCode, codeOf('INVALID_REQUEST'));
});

test('a reassignment to the replicas in place succeeds, as in Kafka', async () => {
  const agents = ['a', 'b', 'c'].map((id) => testAgent(id));
  const { call, cluster } = await startTestAgent({ self: agents[0]!, agents });
  cluster.addTopic('t', 4);
  const { topics } = answered(await call('Metadata', 9, { topics: [{ name: 't' }] }));
  const inPlace = topics[0]!.partitions.map(({ partitionIndex, replicaNodes }) => ({
    partitionIndex,
    replicas: replicaNodes,
  }));
  const errorsOf = async (partitions: typeof inPlace) => {
    const request = { timeoutMs: 1000, topics: [{ name: 't', partitions }] };
    const { responses } = answered(await call('AlterPartitionReassignments', 1, request));
    return responses[0]!.partitions.map(({ errorCode }) => errorCode);
  };
  assert.deepEqual(await errorsOf(inPlace), [0, 0, 0, 0]);
  const others = inPlace.map((one) => ({ ...one, replicas: one.replicas.toReversed() }));
  assert.deepEqual(await errorsOf(others), new Array(4).fill(codeOf('POLICY_VIOLATION')));
});

test('reassignments are refused, and none are listed', async () => {
  const { call, cluster } = await startTestAgent();
  cluster.addTopic('t');
  for (const version of [0, 1]) {
    const partitions = [
      { partitionIndex: 0, replicas: [1, 2, 3] },
      { partitionIndex: 0, replicas: null },
      { partitionIndex: 1, replicas: [1] },
    ];
    const request = { timeoutMs: 1000, topics: [{ name: 't', partitions }] };
    const { errorCode, responses } = answered(await call('AlterPartitionReassignments', version, request));
    assert.equal(errorCode, 0);
    assert.deepEqual(
      responses[0]!.partitions.map((partition) => partition.errorCode),
      [
        codeOf('POLICY_VIOLATION'),
        codeOf('NO_REASSIGNMENT_IN_PROGRESS'),
        codeOf('UNKNOWN_TOPIC_OR_PARTITION'),
      ],
    );
    assert.match(responses[0]!.partitions[0]!.errorMessage!, /object store/);
  }
  for (const topics of [null, [{ name: 't', partitionIndexes: [0] }]]) {
    const listed = answered(await call('ListPartitionReassignments', 0, { timeoutMs: 1000, topics }));
    assert.deepEqual([listed.errorCode, listed.topics], [0, []]);
  }
});

test('features have the levels of the release', async () => {
  const { call } = await startTestAgent();
  const name = 'transaction.version';
  const { level } = features[name];
  const update = (feature: string, maxVersionLevel: number) => ({ feature, maxVersionLevel });
  const cases: [updates: ReturnType<typeof update>[], errors: (0 | 'INVALID_UPDATE_VERSION')[]][] = [
    [[update(name, level)], [0]],
    [[update(name, level - 1)], ['INVALID_UPDATE_VERSION']],
    [[update(name, 0)], ['INVALID_UPDATE_VERSION']],
    [
      [update(name, level), update('metadata.version', 7)],
      [0, 'INVALID_UPDATE_VERSION'],
    ],
    [[update('constructor', 1)], ['INVALID_UPDATE_VERSION']],
  ];
  for (const version of [0, 1, 2]) {
    for (const [featureUpdates, expected] of cases) {
      const answer = answered(await call('UpdateFeatures', version, { featureUpdates }));
      const codes = expected.map((error) => (error === 0 ? 0 : codeOf(error)));
      const worst = Math.max(...codes);
      assert.equal(answer.errorCode, worst);
      assert.deepEqual(
        answer.results.map(({ errorCode }) => errorCode),
        version >= 2 || worst !== 0 ? [] : codes,
      );
    }
    const none = answered(await call('UpdateFeatures', version, { featureUpdates: [] }));
    assert.deepEqual([none.errorCode, none.results], [0, []]);
    if (version >= 1) {
      const featureUpdates = [{ ...update(name, level), upgradeType: 9 }];
      const answer = answered(await call('UpdateFeatures', version, { featureUpdates }));
      assert.equal(answer.errorCode, codeOf('INVALID_UPDATE_VERSION'));
    }
    const twice = [update(name, level), update(name, level)];
    const answer = answered(await call('UpdateFeatures', version, { featureUpdates: twice }));
    assert.equal(answer.errorCode, codeOf('INVALID_REQUEST'));
  }
});

test('a replica can only stay in the one directory', async () => {
  const agents = ['a', 'b'].map((id) => testAgent(id));
  const { call, cluster } = await startTestAgent({ self: agents[0]!, agents });
  cluster.addTopic('t', 2);
  const { topics } = answered(await call('Metadata', 9, { topics: [{ name: 't' }] }));
  const ours = topics[0]!.partitions.filter(({ leaderId }) => leaderId === agents[0]!.nodeId);
  const led = ours.map(({ partitionIndex }) => partitionIndex);
  const { logDir } = answered(await call('DescribeLogDirs', 4, { topics: null })).results[0]!;
  for (const version of [1, 2]) {
    const errorsAt = async (path: string) => {
      const moved = { path, topics: [{ name: 't', partitions: [0, 1, 2, -1] }] };
      const { results } = answered(await call('AlterReplicaLogDirs', version, { dirs: [moved] }));
      return results[0]!.partitions.map(({ errorCode }) => errorCode);
    };
    const absent = codeOf('REPLICA_NOT_AVAILABLE');
    const expected = [0, 1, 2, -1].map((partition) => (led.includes(partition) ? 0 : absent));
    assert.deepEqual(await errorsAt(logDir), expected);
    assert.deepEqual(await errorsAt('/var/lib/kafka'), new Array(4).fill(codeOf('LOG_DIR_NOT_FOUND')));
    const dirs = ['/var/lib/kafka', logDir].map((path) => ({
      path,
      topics: [{ name: 't', partitions: [2] }],
    }));
    const { results } = answered(await call('AlterReplicaLogDirs', version, { dirs }));
    assert.deepEqual(results, [{ topicName: 't', partitions: [{ partitionIndex: 2, errorCode: absent }] }]);
  }
});

test('agents that run stay registered, and others are not', async () => {
  const agents = ['a', 'b'].map((id) => testAgent(id));
  const { call } = await startTestAgent({ self: agents[0]!, agents });
  const unregistered = async (brokerId: number) =>
    answered(await call('UnregisterBroker', 0, { brokerId })).errorCode;
  for (const { nodeId } of agents) assert.equal(await unregistered(nodeId), codeOf('POLICY_VIOLATION'));
  for (const id of [-1, 2 ** 31 - 1])
    assert.equal(await unregistered(id), codeOf('BROKER_ID_NOT_REGISTERED'));
});

test('the quorum has no voters to change', async () => {
  const { call } = await startTestAgent();
  const voter = { clusterId: null, voterId: 1, voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAQ' };
  const added = { ...voter, timeoutMs: 1000, listeners: [{ name: 'CONTROLLER', host: 'c', port: 9093 }] };
  for (const answer of [
    answered(await call('AddRaftVoter', 0, added)),
    answered(await call('AddRaftVoter', 1, added)),
    answered(await call('RemoveRaftVoter', 0, voter)),
  ]) {
    assert.equal(answer.errorCode, codeOf('UNSUPPORTED_VERSION'));
    assert.match(answer.errorMessage!, /no quorum/);
  }
  const elsewhere = answered(await call('AddRaftVoter', 1, { ...added, clusterId: 'another' }));
  assert.equal(elsewhere.errorCode, codeOf('INCONSISTENT_CLUSTER_ID'));
});
