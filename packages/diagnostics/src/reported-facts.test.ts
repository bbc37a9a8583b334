import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentReport, latencyStepOf, type ReceivedReport } from '@weir/cluster';
import { dayMs, minuteMs, snapshotMs } from '../testing/diagnostic-snapshot.ts';
import { lastUsed, reportedFacts, snapshotSpanMs } from './reported-facts.ts';

/** A report that was received `agoMs` before the snapshot, from an agent whose clock is right. */
function received(agoMs: number, facts: Partial<AgentReport> = {}): ReceivedReport {
  const receivedMs = snapshotMs - agoMs;
  return {
    receivedMs: receivedMs,
    report: { startedMs: 1, number: 1, sinceNumber: 0, spanMs: 20_000, nowMs: receivedMs, ...facts },
  };
}

function factsOf(...agents: readonly ReceivedReport[][]) {
  const reports = new Map(agents.map((own, index) => [`a${index}`, own]));
  return reportedFacts({ reports }, snapshotMs);
}

test('without reports nothing is known, even of a live agent', () => {
  const { produce, buckets, metrics, ofAgent } = factsOf([]);
  assert.deepEqual([produce, buckets, metrics], [undefined, undefined, undefined]);
  assert.deepEqual(ofAgent('a0'), {});
});

test('the files that all agents wrote in the last minute are summed, over the period of the reports', () => {
  const files = { count: 10, bytes: 1_000 };
  const { produce } = factsOf(
    [
      received(snapshotSpanMs + 1, { files }),
      received(40_000, { files }),
      received(20_000, { files }),
      received(1, { files }),
    ],
    [received(5_000, { files })],
  );
  assert.partialDeepStrictEqual(produce, { spanMs: 60_000, fileCount: 40, fileBytes: 4_000 });
});

test('a client has its shortest timeout over all agents', () => {
  const client = (timeoutMs: number, requestCount: number) => [{ clientId: 'shop', timeoutMs, requestCount }];
  const { produce } = factsOf(
    [received(1, { clients: client(3_000, 2) })],
    [received(1, { clients: client(900, 5) })],
  );
  assert.deepEqual(produce!.clientTimeouts, [{ clientId: 'shop', timeoutMs: 900, requestCount: 7 }]);
});

test('invalid records are summed by topic and reason over all agents', () => {
  const invalid = (topic: string, reason: string, count: number) => ({ topic, reason, count });
  const { invalidRecords } = factsOf(
    [
      received(40_000, { invalidRecords: [invalid('orders', 'payload', 2)] }),
      received(1, { invalidRecords: [invalid('orders', 'payload', 1), invalid('clicks', 'wire_format', 9)] }),
    ],
    [received(1, { invalidRecords: [invalid('orders', 'payload', 4), invalid('orders', 'subject', 1)] })],
  );
  assert.deepEqual(invalidRecords, [
    invalid('clicks', 'wire_format', 9),
    invalid('orders', 'payload', 7),
    invalid('orders', 'subject', 1),
  ]);
});

test('a bucket has the observations of all agents', () => {
  const slow = latencyStepOf(3_000);
  const fast = latencyStepOf(100);
  const bucket = (facts: object) => ({
    buckets: [{ name: 's3://records', operationCount: 100, failureCount: 3, ...facts }],
  });
  const { buckets } = factsOf(
    [received(1, bucket({ putLatencies: [fast, 97], denied: [{ operation: 'list', count: 1 }] }))],
    [
      received(
        1,
        bucket({
          putLatencies: [fast, 95, slow, 2],
          denied: [{ operation: 'list', count: 2 }],
          missingCount: 4,
        }),
      ),
    ],
  );
  const [found] = buckets!;
  assert.partialDeepStrictEqual(found, {
    name: 's3://records',
    operationCount: 200,
    failureCount: 6,
    deniedOperations: [{ operation: 'list', count: 3 }],
    missingCount: 4,
  });
  assert.ok(found!.putP99Ms! > 2_500, 'two of 194 are more than one in a hundred');
  assert.equal(found!.getP99Ms, undefined);
});

test('a metric has the series count of the agent with the most series', () => {
  const metrics = (seriesCount: number) => ({ metrics: [{ name: 'm', seriesCount }] });
  const { metrics: found } = factsOf(
    [received(1, metrics(9_000)), received(1, metrics(2_000))],
    [received(1, metrics(1_000))],
  );
  assert.deepEqual(found, [{ name: 'm', seriesCount: 9_000 }]);
});

test('a slow report does not make the clock of an agent appear behind', () => {
  const skewMs = 5_000;
  const delayed = (agoMs: number, delayMs: number) =>
    received(agoMs, { nowMs: snapshotMs - agoMs - delayMs + skewMs });
  const { ofAgent } = factsOf([delayed(40_000, 6_000), delayed(20_000, 3), delayed(1, 800)]);
  assert.equal(ofAgent('a0').clockOffsetMs, skewMs - 3);
});

test('the expiry of a token is by the clock of its agent, that of a certificate is not', () => {
  const skewMs = 10 * minuteMs;
  const thing = { name: 'x', expiresMs: snapshotMs + dayMs, issuedMs: snapshotMs };
  const nowMs = snapshotMs - 1 + skewMs;
  const { ofAgent } = factsOf([received(1, { nowMs, certificates: [thing], tokens: [thing] })]);
  const { certificates, tokens } = ofAgent('a0');
  assert.deepEqual(certificates, [thing]);
  assert.deepEqual(tokens, [
    { name: 'x', expiresMs: snapshotMs + dayMs - skewMs, issuedMs: snapshotMs - skewMs },
  ]);
});

test('an agent that reports without certificates and tokens has empty lists', () => {
  assert.partialDeepStrictEqual(factsOf([received(1)]).ofAgent('a0'), { certificates: [], tokens: [] });
});

const sinceMs = snapshotMs - 100 * dayMs;
const uses: readonly [
  what: string,
  received: { readonly lastUsedMs?: number | null; readonly sinceMs: number | undefined },
  createdMs: number,
  expected: number | null | undefined,
][] = [
  ['a client logged in', { lastUsedMs: snapshotMs, sinceMs }, 0, snapshotMs],
  ['a client logged in, and some agents do not report', { lastUsedMs: 5, sinceMs: undefined }, 0, undefined],
  ['a client logged in before a gap', { lastUsedMs: 5, sinceMs }, 0, sinceMs],
  ['no client did since logins are reported', { lastUsedMs: null, sinceMs }, 0, sinceMs],
  ['no client did since it was made', { lastUsedMs: null, sinceMs }, sinceMs + 1, null],
  ['the leader has an earlier release', { sinceMs }, 0, sinceMs],
  ['some agents do not report', { sinceMs: undefined }, 0, undefined],
];

for (const [what, { lastUsedMs, sinceMs: loginsReceivedSinceMs }, createdMs, expected] of uses) {
  test(`the last use of a credential when ${what}`, () => {
    assert.equal(lastUsed({ loginsReceivedSinceMs }, { createdMs, lastUsedMs }), expected);
  });
}

test('a damaged file has the partitions of all reports, the latest of each agent', () => {
  const partition = (number: number) => ({ topicId: 't', partition: number, firstOffset: 5, nextOffset: 9 });
  const file = (...numbers: number[]) => ({
    damagedFiles: [
      {
        fileId: 'f',
        kind: 'short' as const,
        partitionCount: numbers.length,
        partitions: numbers.map(partition),
      },
    ],
  });
  const { damagedFiles } = factsOf(
    [received(20_000, file(7)), received(1, file(0, 1))],
    [received(1, file(1, 2))],
  );
  assert.deepEqual(damagedFiles, [
    { fileId: 'f', kind: 'short', partitionCount: 3, partitions: [0, 1, 2].map(partition) },
  ]);
  assert.deepEqual(factsOf([received(20_000, file(7)), received(1)]).damagedFiles, []);
});
