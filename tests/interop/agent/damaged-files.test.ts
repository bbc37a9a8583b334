import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { type JavaRecord, openJavaClient } from '../brokers/java-client.ts';
import { lastFirst, temporaryFolder } from '../brokers/weir-process.ts';
import { testScenarios } from '../compatibility/scenario-program.ts';
import { pythonWith } from '../python/venv.ts';
import {
  damagedPartitions,
  intactPartition,
  readableRecords,
  startDamagedAgent,
  timestampAt,
  topic,
} from './damaged-agent.ts';

/**
 * What applications on third-party clients see of damaged files: nothing if they are restored in time, one error for
 * each offset that stays unreadable, and never a record that differs from the produced one.
 */
const bounded = { skip: missingTool(), timeout: 180_000 };

test("Apache's clients read what is readable, and get an error for the rest", bounded, async (t) => {
  const lifetime = lastFirst(t);
  const java = openJavaClient(lifetime);
  const { broker, restoreSome } = await startDamagedAgent(lifetime);
  // By default the client would retry for a minute.
  const impatient = join(temporaryFolder(lifetime), 'client.properties');
  writeFileSync(
    impatient,
    `bootstrap.servers=${broker}\ndefault.api.timeout.ms=1500\nrequest.timeout.ms=1000\n`,
  );
  const offsetAt = (partition: number, position: string | number) =>
    java
      .ask<{ offset: string }>('list-offset', `@${impatient}`, topic, partition, position)
      .then(({ offset }) => Number(offset));

  const reading = java.ask<{ records: JavaRecord[]; failures: string[] }>('read-over-damage', broker, topic);
  const [{ records, failures }] = await Promise.all([reading, restoreSome()]);
  assert.deepEqual(
    records.map(([partition, offset, , , value]) => [partition, Number(offset), value]).sort(),
    readableRecords,
  );
  assert.deepEqual(
    failures.sort(),
    damagedPartitions.map(
      (partition) =>
        `Encountered corrupt message when fetching offset 1 for topic-partition ${topic}-${partition}`,
    ),
  );

  for (const partition of damagedPartitions) {
    assert.equal(await offsetAt(partition, 'earliest'), 0);
    assert.equal(await offsetAt(partition, 'latest'), 3);
    assert.equal(await offsetAt(partition, 'max-timestamp'), 2);
    assert.equal(await offsetAt(partition, timestampAt(0)), 0);
    assert.equal(await offsetAt(partition, timestampAt(2)), 2);
  }
  assert.equal(await offsetAt(intactPartition, timestampAt(1)), 1);
  await assert.rejects(offsetAt(damagedPartitions[0]!, timestampAt(1)), /TimeoutException/);
});

const { missing, python } = pythonWith('confluent-kafka');
const scenarios = ['read over damaged files', 'list offsets beside damaged files'];
testScenarios('confluent-kafka', scenarios, missing, async () => {
  const { broker, restoreSome } = await startDamagedAgent(lastFirst({ after }));
  void restoreSome();
  const program = join(import.meta.dirname, '../python/confluent_kafka_damaged_files.py');
  return { program: { command: python!, args: ['-B', program] }, broker };
});
