import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lifetime, lastFirst } from '../../brokers/weir-process.ts';
import { type Program, startProgram } from '../program.ts';
import { begin, type Run, runs, settingsFile, skip } from './streams-runs.ts';

/**
 * `npm run test:streams`: Apache's smoke test of Kafka Streams 4.3.1, by the streams group protocol (KIP-1071) and by
 * the classic one, at least once and exactly once. Its driver writes, and checks what the instances made of it.
 */

/** As Apache's own test of its smoke test has them (`streams_smoke_test.py`). */
const smokeTopics = [
  ...['data', 'echo', 'max', 'min', 'min-suppressed', 'min-raw', 'dif', 'sum', 'sws-raw', 'sws-suppressed'],
  ...['cnt', 'avg', 'tagg', 'fk'],
];
const smokePartitions = 5;

const hasPrinted = ({ lines }: Program<never>, text: string) => lines.some((line) => line.includes(text));

/** Apache's test: three instances one after the other, of which two are killed; and here an agent each time. */
async function smoke(lifetime: Lifetime, run: Run): Promise<string> {
  const { cluster, servers } = await begin(lifetime, run[1], smokeTopics, smokePartitions);
  const main = 'org.apache.kafka.streams.tests.StreamsSmokeTest';
  const start = (command: string) => {
    const { file, flags } = settingsFile(lifetime, servers, run);
    return startProgram<never>(lifetime, main, [file, command], flags);
  };
  const works = async (instance: Program<never>) => {
    await instance.until(() => hasPrinted(instance, 'REBALANCING -> RUNNING'));
    await instance.until(() => hasPrinted(instance, 'processed'));
  };
  const first = start('process');
  await first.until(() => hasPrinted(first, 'REBALANCING -> RUNNING'));
  const driver = start('run');
  await works(first);
  assert.ok(!hasPrinted(driver, 'Result Verification'), 'all was processed before the first kill');
  await first.kill();
  const second = start('process');
  await cluster.agents[0]!.kill();
  await works(second);
  await second.kill();
  const third = start('process');
  await cluster.agents[1]!.kill();
  await works(third);
  await driver.end();
  await third.stop();
  return driver.lines.join('\n');
}

for (const run of runs) {
  const [guarantee, protocol] = run;
  test(`the smoke test, ${protocol}, ${guarantee}`, { skip, timeout: 450_000 }, async (t) => {
    const printed = await smoke(lastFirst(t), run);
    const outcome =
      guarantee === 'exactly_once_v2' ? /^SUCCESS/m : /^SUCCESS|^PROCESSED-MORE-THAN-GENERATED/m;
    assert.match(printed, outcome);
    assert.doesNotMatch(printed, /^FAILURE/m);
  });
}
