import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addUser, batchOf, logInByPassword, testAgent } from '@weir/broker/testing';
import { type ClusterPort, ClusterUnavailable, heartbeatIntervalMs, reportIntervalMs } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { startAgentUnderTest } from '../testing/running-agent.ts';
import { Heartbeats } from './heartbeats.ts';

const retryMs = 2_000;

test('some heartbeats carry a report, including the first', async (t) => {
  const { cluster, pass } = await startAgentUnderTest(t);
  assert.deepEqual([cluster.calls.heartbeat, cluster.reports.length], [1, 1]);
  await pass(3 * reportIntervalMs + heartbeatIntervalMs);
  assert.ok(cluster.calls.heartbeat >= (3 * reportIntervalMs) / heartbeatIntervalMs);
  assert.deepEqual(
    cluster.reports.map(({ number, sinceNumber, spanMs }) => [number, sinceNumber, spanMs]),
    [
      [1, 0, 0],
      [2, 1, reportIntervalMs],
      [3, 2, reportIntervalMs],
      [4, 3, reportIntervalMs],
    ],
  );
});

test('a report that does not wait is sent at once', async (t) => {
  const clock = new HandClock();
  const cluster = new TestCluster();
  const reports = {
    report: () => ({ startedMs: 1, number: 1, sinceNumber: 0, spanMs: 0, nowMs: 1 }),
    acknowledged() {},
  };
  const heartbeats = new Heartbeats({
    port: cluster,
    self: () => testAgent('a'),
    reports,
    clock,
    log: silentLog,
  });
  t.after(() => heartbeats.stop());
  await heartbeats.start();
  assert.deepEqual([cluster.calls.heartbeat, cluster.reports.length], [1, 1]);
  heartbeats.beatNow();
  await settle();
  assert.deepEqual([cluster.calls.heartbeat, cluster.reports.length], [2, 1]);
  heartbeats.reportNow();
  await settle();
  assert.deepEqual([cluster.calls.heartbeat, cluster.reports.length], [3, 2]);
});

test('an agent whose first heartbeat fails waits for the leader, and can be stopped meanwhile', async () => {
  const clock = new HandClock();
  const cluster = new TestCluster();
  const self = () => testAgent('a');
  const heartbeats = new Heartbeats({ port: cluster, self, clock, log: silentLog });
  cluster.unavailable = true;
  const started = heartbeats.start();
  await clock.pass(3 * retryMs);
  assert.equal(cluster.calls.heartbeat, 4);
  cluster.unavailable = false;
  await clock.pass(retryMs);
  await started;
  heartbeats.stop();

  cluster.unavailable = true;
  const stopped = new Heartbeats({ port: cluster, self, clock, log: silentLog });
  const given = assert.rejects(stopped.start(), ClusterUnavailable);
  await settle();
  stopped.stop();
  await given;
  assert.equal(clock.waiting, 0);
});

test('stats of failed heartbeats are reported with the next successful one', async (t) => {
  const { cluster, pass } = await startAgentUnderTest(t);
  cluster.unavailable = true;
  await pass(2 * reportIntervalMs);
  cluster.unavailable = false;
  await pass(heartbeatIntervalMs);
  const [, after] = cluster.reports;
  assert.equal(after!.sinceNumber, 1);
  assert.ok(after!.spanMs >= 2 * reportIntervalMs);
});

test('an agent reports its files, clients with short timeouts, logins and connections', async (t) => {
  const under = await startAgentUnderTest(t, {
    sasl: { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 },
  });
  const { cluster, pass } = under;
  addUser(cluster, 'alice', 'wonderland');
  const { topicId } = cluster.addTopic('t');
  await pass(1_000);
  const [client, stranger] = [await under.connect(), await under.connect()];
  for (const one of [client, stranger])
    await one.call('ApiVersions', 3, { clientSoftwareName: 'franz-go', clientSoftwareVersion: '1.22.2' });
  await logInByPassword(client, 'alice', 'wonderland');
  const produce = async (timeoutMs: number) => {
    const partitionData = [{ index: 0, records: batchOf(['a record']) }];
    const body = { acks: -1, timeoutMs, topicData: [{ name: 't', topicId, partitionData }] };
    await client.call('Produce', 11, body);
  };
  for (const timeoutMs of [2_000, 1_000, 30_000]) await produce(timeoutMs);
  await pass(reportIntervalMs + heartbeatIntervalMs);
  const report = cluster.reports.at(-1)!;
  assert.equal(report.files?.count, 3);
  assert.ok(report.files!.bytes > 0);
  assert.deepEqual(report.clients, [{ clientId: 'test', timeoutMs: 1_000, requestCount: 2 }]);
  assert.deepEqual(
    report.logins?.map(({ username }) => username),
    ['alice'],
  );
  const franz = {
    name: 'franz-go',
    version: '1.22.2',
    connectionCount: 1,
    principals: ['User:alice'],
    principalCount: 1,
    clientIds: ['test'],
    clientIdCount: 1,
  };
  assert.deepEqual(report.connected, { connectionCount: 1, software: [franz] });
  client.socket.destroy();
  // The sockets decide when the agent notices the disconnect; a later report shows it.
  while (cluster.reports.at(-1)!.connected!.connectionCount > 0) await pass(reportIntervalMs);
});

test('over a new connection a heartbeat is sent at once, unless one is in flight, and then at intervals', async () => {
  const clock = new HandClock();
  let sent = 0;
  let answer: () => void = () => {};
  const port = {
    heartbeat() {
      sent++;
      return new Promise((resolve) => {
        answer = () => resolve([]);
      });
    },
  } as unknown as ClusterPort;
  const heartbeats = new Heartbeats({ port, self: () => testAgent('a'), clock, log: silentLog });
  heartbeats.beatNow();
  assert.equal(sent, 0, 'no heartbeat before the start');
  const started = heartbeats.start();
  heartbeats.beatNow();
  answer();
  await started;
  assert.equal(sent, 1);
  heartbeats.beatNow();
  heartbeats.beatNow();
  assert.equal(sent, 2);
  answer();
  await settle();
  await clock.pass(heartbeatIntervalMs);
  assert.equal(sent, 3, 'one interval after the last, and no second timer');
  heartbeats.stop();
  answer();
  await settle();
  heartbeats.beatNow();
  await clock.pass(heartbeatIntervalMs);
  assert.equal(sent, 3);
});

test('the interval counts from sending, and a failed heartbeat is repeated sooner', async () => {
  const clock = new HandClock();
  const sentMs: number[] = [];
  /** How long each answer takes. The last heartbeats fail. */
  const answerMs = [500, 3_500, 6_000, 0];
  const port = {
    async heartbeat() {
      sentMs.push(clock.monotonicMs());
      const waitMs = answerMs.shift();
      if (waitMs === undefined) throw new ClusterUnavailable('no leader');
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
      return [];
    },
  } as unknown as ClusterPort;
  const heartbeats = new Heartbeats({ port, self: () => testAgent('a'), clock, log: silentLog });
  void heartbeats.start();
  await clock.pass(25_000);
  heartbeats.stop();
  // 4 s after sending, but 2 s after an answer at least.
  assert.deepEqual(sentMs, [0, 4_000, 9_500, 17_500, 21_500, 23_500]);
});
