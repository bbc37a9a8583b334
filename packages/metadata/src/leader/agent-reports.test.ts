import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentReport,
  type ReportedConnections,
  type ReportedSoftware,
  reportIntervalMs,
  reportRetentionMs,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { coreLimits } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import fc from 'fast-check';
import { metadataLimits } from '../limits.ts';
import { AgentReports } from './agent-reports.ts';

function reportOf(number: number, sinceNumber: number, facts: Partial<AgentReport> = {}): AgentReport {
  return { startedMs: 1, number, sinceNumber, spanMs: 20_000, nowMs: 1_700_000_000_000, ...facts };
}

function softwareOf(facts: Partial<ReportedSoftware> = {}): ReportedSoftware {
  return {
    name: 'librdkafka',
    version: '2.16.1',
    connectionCount: 1,
    principals: ['User:shop'],
    principalCount: 1,
    clientIds: ['rd'],
    clientIdCount: 1,
    ...facts,
  };
}

function connectedBy(facts: Partial<ReportedSoftware> = {}, connectionCount = 1): ReportedConnections {
  return { connectionCount, software: [softwareOf(facts)] };
}

function stage() {
  const clock = new HandClock();
  const reports = new AgentReports(clock);
  const numbers = (agentId: string) =>
    (reports.reports().get(agentId) ?? []).map(({ report }) => report.number);
  return { clock, reports, numbers };
}

test('reports of the last minutes are retained, and dropped with their agent', async () => {
  const { clock, reports, numbers } = stage();
  for (let number = 1; number <= 10; number++) {
    assert.equal(reports.receive('a', reportOf(number, number - 1)), undefined);
    await clock.pass(reportIntervalMs);
  }
  assert.deepEqual(numbers('a'), [7, 8, 9, 10]);
  reports.receive('b', reportOf(1, 0));
  reports.forget('a');
  assert.deepEqual([...reports.reports().keys()], ['b']);
  await clock.pass(reportRetentionMs + 1);
  assert.deepEqual([...reports.reports().keys()], []);
});

test('a report whose receipt the agent did not learn is replaced by the next one, which repeats its content', () => {
  const { reports, numbers } = stage();
  reports.receive('a', reportOf(1, 0));
  reports.receive('a', reportOf(2, 1));
  reports.receive('a', reportOf(3, 1));
  assert.deepEqual(numbers('a'), [1, 3]);
  reports.receive('a', reportOf(1, 0, { startedMs: 2 }));
  assert.deepEqual(numbers('a'), [1, 3, 1], 'a restarted agent counts from the start');
  assert.equal(reports.startedMs('a'), 2);
  reports.forget('a');
  assert.equal(reports.startedMs('a'), undefined);
});

test('with any lost answers, each file is counted once or waits to be reported', () => {
  const steps = fc.array(
    fc.record({ files: fc.nat(5), isReceived: fc.boolean(), isAnswered: fc.boolean() }),
    {
      maxLength: metadataLimits.agentReportsRetainedMax,
    },
  );
  fc.assert(
    fc.property(steps, (rounds) => {
      const { reports } = stage();
      let [number, ackedNumber, written, waiting, reported] = [0, 0, 0, 0, 0];
      for (const { files, isReceived, isAnswered } of rounds) {
        written += files;
        waiting += files;
        number++;
        if (isReceived) {
          reports.receive('a', reportOf(number, ackedNumber, { files: { count: waiting, bytes: waiting } }));
          reported = written;
        }
        if (isReceived && isAnswered) {
          ackedNumber = number;
          waiting = 0;
        }
      }
      const retained = reports.reports().get('a') ?? [];
      assert.equal(
        retained.reduce((sum, { report }) => sum + (report.files?.count ?? 0), 0),
        reported,
      );
      assert.equal(reports.traffic.read(3_600_000).ingestedBytes, reported);
    }),
  );
});

const name = 'x'.repeat(coreLimits.reportedNameCharsMax);

const refused: readonly [what: string, facts: object, problem: RegExp][] = [
  ['no number', { number: 'one' }, /number: not a whole number/],
  ['a long name', { metrics: [{ name: `${name}x`, seriesCount: 1 }] }, /name: longer than 128/],
  [
    'too many clients',
    {
      clients: Array(coreLimits.reportedClientsMax + 1).fill({
        clientId: 'c',
        timeoutMs: 1,
        requestCount: 1,
      }),
    },
    /clients: more than 20/,
  ],
  ['no list', { logins: { username: 'ann' } }, /logins: not a list/],
  [
    'invalid latencies',
    { buckets: [{ name, operationCount: 1, failureCount: 0, putLatencies: [999, 1] }] },
    /putLatencies: not latency counts/,
  ],
  [
    'too many names of clients',
    {
      connected: connectedBy({
        principals: Array(clusterLimits.reportedSoftwareNamesMax + 1).fill('User:a'),
      }),
    },
    /principals: more than 5/,
  ],
  [
    'too much software',
    { connected: { connectionCount: 1, software: Array(200).fill(softwareOf({ name })) } },
    /software: more than 16384 characters/,
  ],
  [
    'a report that is too large',
    { later: 'x'.repeat(coreLimits.agentReportCharsMax) },
    /characters; at most 98304/,
  ],
];

for (const [what, facts, problem] of refused) {
  test(`a report with ${what} is refused`, () => {
    const { reports, numbers } = stage();
    assert.match(reports.receive('a', reportOf(1, 0, facts))!, problem);
    assert.deepEqual(numbers('a'), []);
  });
}

test('unknown fields of a later release are ignored', () => {
  const { reports, numbers } = stage();
  assert.equal(reports.receive('a', reportOf(1, 0, { later: { is: 'fine' } } as object)), undefined);
  assert.deepEqual(numbers('a'), [1]);
});

test('reports are limited per agent, and in size per cluster', () => {
  const { reports, numbers } = stage();
  for (let number = 1; number <= 100; number++) reports.receive('a', reportOf(number, number - 1));
  assert.equal(numbers('a').length, metadataLimits.agentReportsRetainedMax);
  const large = { later: 'x'.repeat(coreLimits.agentReportCharsMax - 1_000) } as object;
  const agentsMax = Math.ceil(
    metadataLimits.clusterReportCharsMax / (coreLimits.agentReportCharsMax - 1_000),
  );
  for (let agent = 0; agent < 2 * agentsMax; agent++) reports.receive(`b${agent}`, reportOf(1, 0, large));
  assert.ok(reports.reports().size <= agentsMax + 1);
  for (let agent = 0; agent < 2 * agentsMax; agent++) reports.forget(`b${agent}`);
  reports.receive('c', reportOf(1, 0, large));
  assert.deepEqual(numbers('c'), [1], 'a removed agent frees its memory');
});

test('the last login of each user counts, on any agent', async () => {
  const { clock, reports } = stage();
  const startMs = clock.nowMs();
  await clock.pass(60_000);
  reports.receive('a', reportOf(1, 0, { logins: [{ username: 'ann', agoMs: 1_000 }] }));
  reports.receive('b', reportOf(1, 0, { logins: [{ username: 'ann', agoMs: 9_000 }] }));
  assert.deepEqual([...reports.loginMs], [['ann', startMs + 59_000]]);
  assert.equal(reports.loginsReceivedSinceMs, startMs);
});

test('logins with an old password count too, the last on any agent', async () => {
  const { clock, reports } = stage();
  const startMs = clock.nowMs();
  await clock.pass(60_000);
  const logins = (agoMs: number, oldPasswordAgoMs?: number) => ({
    logins: [{ username: 'ann', agoMs, ...(oldPasswordAgoMs === undefined ? {} : { oldPasswordAgoMs }) }],
  });
  reports.receive('a', reportOf(1, 0, logins(1_000, 5_000)));
  reports.receive('b', reportOf(1, 0, logins(9_000, 9_000)));
  reports.receive('c', reportOf(1, 0, logins(2_000)));
  assert.deepEqual([...reports.oldPasswordLoginMs], [['ann', startMs + 55_000]]);
  const taken = reports.takeLogins();
  const use = { username: 'ann', usedMs: startMs + 59_000, oldPasswordUsedMs: startMs + 55_000 };
  assert.deepEqual(taken.uses, [use]);
  reports.putBackLogins(taken);
  assert.deepEqual(reports.takeLogins(), taken);
});

test('logins are taken once to be stored, and remain known', () => {
  const { clock, reports } = stage();
  const nowMs = clock.nowMs();
  reports.receive('a', reportOf(1, 0, { logins: [{ username: 'ann', agoMs: 0 }] }));
  const logins = { uses: [{ username: 'ann', usedMs: nowMs }], receivedSinceMs: nowMs };
  assert.deepEqual(reports.takeLogins(), logins);
  assert.deepEqual(reports.takeLogins(), { uses: [], receivedSinceMs: nowMs });
  assert.deepEqual([...reports.loginMs], [['ann', nowMs]]);
  reports.putBackLogins(logins);
  assert.deepEqual(reports.takeLogins(), logins, 'logins whose save failed are returned again');
});

test('the login history of earlier leaders continues if it has no gap', () => {
  const clock = new HandClock();
  const reports = new AgentReports(clock, 7);
  assert.equal(reports.loginsReceivedSinceMs, 7);
  reports.receive('old', undefined);
  clock.advance(3 * reportIntervalMs + 1);
  assert.equal(reports.takeLogins().receivedSinceMs, null);
  reports.forget('old');
  assert.equal(reports.takeLogins().receivedSinceMs, clock.nowMs());
});

test('while an agent of an earlier release is present, absent logins are unknown', async () => {
  const { clock, reports } = stage();
  reports.receive('old', undefined);
  assert.notEqual(reports.loginsReceivedSinceMs, undefined, 'the agent may report soon');
  await clock.pass(3 * reportIntervalMs + 1);
  assert.equal(reports.loginsReceivedSinceMs, undefined);
  reports.forget('old');
  assert.equal(reports.loginsReceivedSinceMs, clock.nowMs());
});

function logInMany(reports: AgentReports, userCount: number, afterEach: () => void = () => {}): void {
  let number = 0;
  for (let user = 0; user < userCount; user += coreLimits.reportedLoginsMax) {
    const logins = Array.from({ length: coreLimits.reportedLoginsMax }, (_, index) => ({
      username: `u${user + index}`,
      agoMs: 0,
    }));
    reports.receive('a', reportOf(++number, number - 1, { logins }));
    afterEach();
  }
}

test('evicting a login that is not stored restarts the login history', () => {
  const { clock, reports } = stage();
  clock.advance(1_000);
  logInMany(reports, metadataLimits.lastLoginsMax + 1);
  assert.equal(reports.loginMs.size, metadataLimits.lastLoginsMax);
  assert.equal(reports.loginsReceivedSinceMs, clock.nowMs());
});

test('evicting a stored login keeps the login history', () => {
  const { clock, reports } = stage();
  const startMs = clock.nowMs();
  clock.advance(1_000);
  logInMany(reports, metadataLimits.lastLoginsMax + 1, () => reports.takeLogins());
  assert.equal(reports.loginMs.size, metadataLimits.lastLoginsMax);
  assert.equal(reports.loginsReceivedSinceMs, startMs);
});

test('the clients of an agent come from its last recent report, and are absent for silent agents', async () => {
  const { clock, reports } = stage();
  assert.equal(reports.connectedOf('a'), undefined);
  reports.receive('a', reportOf(1, 0, { connected: connectedBy({}, 3) }));
  await clock.pass(reportIntervalMs);
  const last = connectedBy({ version: '2.17.0' }, 7);
  reports.receive('a', reportOf(2, 1, { connected: last }));
  assert.deepEqual(reports.connectedOf('a'), { connected: last, receivedMs: clock.nowMs() });
  const retained = reports.reports().get('a')!;
  assert.ok(
    retained.every(({ report }) => report.connected === undefined),
    'connections are not stored with the counted stats',
  );
  reports.receive('old', reportOf(1, 0));
  assert.equal(reports.connectedOf('old'), undefined);
  await clock.pass(reportRetentionMs + 1);
  assert.equal(reports.connectedOf('a'), undefined);
  reports.receive('a', reportOf(3, 2, { connected: last }));
  reports.forget('a');
  assert.equal(reports.connectedOf('a'), undefined);
});

test('the clients of all agents share a size limit; beyond it they are only counted', () => {
  const { reports } = stage();
  const clientIds = Array(clusterLimits.reportedSoftwareNamesMax).fill(name);
  const software = Array(18).fill(softwareOf({ clientIds }));
  const chars = JSON.stringify(software).length;
  const agentCount = Math.ceil((2 * metadataLimits.clusterSoftwareCharsMax) / chars);
  const receive = (agentId: string) =>
    assert.equal(
      reports.receive(agentId, reportOf(1, 0, { connected: { connectionCount: 18, software } })),
      undefined,
    );
  for (let agent = 0; agent < agentCount; agent++) receive(`a${agent}`);
  const retained = Array.from(
    { length: agentCount },
    (_, agent) => reports.connectedOf(`a${agent}`)?.connected,
  );
  assert.ok(JSON.stringify(retained).length <= metadataLimits.clusterSoftwareCharsMax + agentCount * 10);
  assert.ok(retained.some((one) => one?.software.length === 18));
  for (let agent = 0; agent < agentCount; agent++) reports.forget(`a${agent}`);
  receive('b');
  assert.equal(reports.connectedOf('b')!.connected.software.length, 18, 'a removed agent frees its memory');
});
