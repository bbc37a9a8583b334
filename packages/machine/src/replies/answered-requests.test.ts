import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster } from '../../testing/cluster.ts';
import type { Command } from '../command.ts';
import { MalformedCommand } from '../command.ts';
import { ClusterMachine } from '../machine.ts';
import { decodeAnswer, encodeAnswer } from './answered-requests.ts';

const topic = (name: string) => ({ name, partitionCount: 1, configs: {} });

function createTopics(name: string, topicId: string): Command & { kind: 'createTopics' } {
  return { kind: 'createTopics', topics: [topic(name)], topicIds: [topicId], validateOnly: false };
}

/** Commands whose answer would differ the second time. */
const commands: [what: string, command: (attempt: number) => Command][] = [
  ['create topics', (attempt) => createTopics('new', `id-${attempt}`)],
  ['delete topics', () => ({ kind: 'deleteTopics', topics: [{ name: 'a' }] })],
  [
    'create partitions',
    () => ({
      kind: 'createPartitions',
      topics: [{ name: 'a', partitionCount: 5 }],
      validateOnly: false,
    }),
  ],
  ['hand out producer ids', () => ({ kind: 'allocateProducerIds', count: 10 })],
  ['alter configs', () => ({ kind: 'alterClusterConfigs', configs: { 'num.partitions': '3' } })],
];

for (const [what, command] of commands) {
  test(`a request to ${what} that comes again gets its first answer, and does nothing`, () => {
    const cluster = new Cluster();
    cluster.create('a', 2);
    const first = cluster.request('client:1', command(1));
    const entries = cluster.journal.length;
    const saved = cluster.saved();
    // Members that JSON omits on the wire are omitted here, too.
    const expected = JSON.parse(JSON.stringify(first)) as unknown;
    const { machine: follower } = cluster.replay();
    const restored = ClusterMachine.restore(saved);
    for (const machine of [cluster.machine, follower, restored]) {
      const again = machine.execute(command(2), cluster.nowMs, 'client:1');
      assert.deepEqual(again, { entry: undefined, reply: expected, changes: [] });
      assert.ok(Buffer.concat(machine.save()).equals(saved));
    }
    assert.equal(cluster.journal.length, entries);
    assert.notEqual(cluster.machine.execute(command(3), cluster.nowMs, 'client:2').reply, first);
  });
}

test('a request without effect is not remembered and is decided again', () => {
  const cluster = new Cluster();
  cluster.create('a');
  assert.equal(cluster.request('client:1', createTopics('a', 'second'))[0]!.error, 'TOPIC_ALREADY_EXISTS');
  cluster.delete('a');
  assert.equal(cluster.request('client:1', createTopics('a', 'third'))[0]!.error, 'NONE');
});

test('different commands with one request id are independent', () => {
  const cluster = new Cluster();
  assert.equal(cluster.request('client:1', createTopics('a', 'a'))[0]!.error, 'NONE');
  assert.equal(cluster.request('client:1', { kind: 'allocateProducerIds', count: 1 }), 1);
});

test('answers are dropped by number, by size and by time, the oldest first', () => {
  const ask = (cluster: Cluster, request: number) =>
    cluster.request(`client:${request}`, { kind: 'allocateProducerIds', count: 1 });
  const rows: [what: string, cluster: Cluster, pauseMs: number, remembered: number][] = [
    ['number', new Cluster({ recentRequestsMax: 3 }), 0, 3],
    ['size', new Cluster({ recentRequestReplyBytesMax: 4 }), 0, 4],
    ['time', new Cluster({ recentRequestMsMax: 20 }), 10, 2],
  ];
  for (const [what, cluster, pauseMs, remembered] of rows) {
    for (let request = 1; request <= 9; request++) {
      assert.equal(ask(cluster, request), request);
      cluster.nowMs += pauseMs;
    }
    assert.equal(cluster.machine.stats().recentRequests, remembered, what);
    for (let request = 9; request > 9 - remembered; request--) assert.equal(ask(cluster, request), request);
    assert.equal(ask(cluster, 1), 10, what);
    assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()), what);
  }
});

test('an empty or overlong request id is a mistake of the caller', () => {
  const cluster = new Cluster({ requestIdCharsMax: 8 });
  for (const requestId of ['', 'too long!']) {
    const saved = cluster.saved();
    assert.throws(
      () => cluster.request(requestId, { kind: 'allocateProducerIds', count: 1 }),
      MalformedCommand,
    );
    assert.ok(cluster.saved().equals(saved));
  }
});

test('an answer survives encoding, including its columns', () => {
  const answers = [
    5,
    'text',
    [{ error: 'NONE', message: null, nested: { list: [1, -2.5] } }],
    { offsets: Float64Array.of(1, 2 ** 53), error: Uint8Array.of(0, 7), epoch: Int16Array.of(-1) },
    [Uint32Array.of(4_000_000_000), new Int32Array(0)],
  ];
  for (const answer of answers) assert.deepStrictEqual(decodeAnswer(encodeAnswer(answer)), answer);
  assert.deepStrictEqual(decodeAnswer(encodeAnswer({ bytes: Buffer.from('ab') })), {
    bytes: Uint8Array.of(97, 98),
  });
});
