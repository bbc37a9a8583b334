import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { startLocal } from '../brokers/weir-process.ts';
import { buildFranzGoSuite } from './programs.ts';

/**
 * franz-go's own client tests against one `weir local`: consumers of all kinds, transactions, share groups, and
 * rebalances in chains of groups that pass records on. They are built from the module in go.mod; none of their source
 * is stored here.
 */
const { missing, program, source } = buildFranzGoSuite();

/**
 * Tests that need an internal topic of Apache's such as `__consumer_offsets`, which Weir does not have
 * (tests/interop/compatibility/departures.ts).
 */
const needInternalTopics = [
  'TestConsumeRegex',
  'TestConsumeRegexShareSkipsInternal',
  'Test848RegexBrokerResolves',
];

/** Tests that skip themselves: two need a listener with SCRAM, one a broker of an old release. */
const skipThemselves = [
  'TestIssueProduceBrokerTooOldFailsRecords',
  'TestSCRAMAuth',
  'TestSCRAMAuthBadCredentials',
];

/** Tests mostly wait for members of their groups; Go would run one for each core. */
const atOnce = '6';

/** Timeout for a hanging test; the suite takes about a minute. */
const timeoutMs = 600_000;

interface Ended {
  readonly status: number | NodeJS.Signals | null;
  readonly out: string;
}

function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { PATH, HOME } = systemEnvironment;
  const child = spawn(program, args, {
    cwd: source,
    env: { PATH, HOME, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs - 10_000,
    killSignal: 'SIGKILL',
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ status: signal ?? code, out }));
  });
}

test('franz-go: its own tests of the client', { skip: missing, timeout: timeoutMs }, async () => {
  const listed = await run(['-test.list', '^Test']);
  const names = listed.out.split('\n').filter((line) => line.startsWith('Test'));
  for (const name of [...needInternalTopics, ...skipThemselves]) {
    assert.ok(names.includes(name), `franz-go has no ${name} any more`);
  }
  const broker = (await startLocal({ after })).address('Kafka');
  const skipped = `^(${needInternalTopics.join('|')})$`;
  const { status, out } = await run(['-test.v', '-test.parallel', atOnce, '-test.skip', skipped], {
    KGO_SEEDS: broker,
    KGO_TEST_RF: '1',
    // The default is a hundred times this.
    KGO_TEST_RECORDS: '5000',
    KGO_TEST_MAX_TOPIC_PARTS: '7',
  });
  const outcomes = new Map<string, string>();
  // The outcome may follow an unfinished log line, so it need not start a line.
  for (const [, outcome, name] of out.matchAll(/--- (PASS|FAIL|SKIP): (Test\w+) \(/g)) {
    outcomes.set(name!, outcome!);
  }
  const unexpected = names.filter((name) => {
    if (needInternalTopics.includes(name)) return outcomes.has(name);
    return outcomes.get(name) !== (skipThemselves.includes(name) ? 'SKIP' : 'PASS');
  });
  assert.deepEqual(unexpected, [], `ended with ${status}:\n${excerpt(out)}`);
  assert.equal(status, 0, excerpt(out));
});

/** Returns the output of failures only; the whole output is a megabyte of requests. */
function excerpt(out: string): string {
  const lines = out.split('\n').filter((line) => /_test\.go:\d+|--- FAIL|^panic|timed out/.test(line));
  return lines.slice(-60).join('\n');
}
