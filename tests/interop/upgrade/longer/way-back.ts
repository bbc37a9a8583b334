/**
 * The way back to a release whose journal has an earlier format, as docs/operate/upgrade.md describes it: the earlier
 * release refuses the database, and takes the copy that was made before the upgrade.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { systemEnvironment } from '@weir/core';
import { journalFormat } from '../../../../packages/journal/src/format.ts';
import { lastFirst, startWeir, temporaryFolder } from '../../brokers/weir-process.ts';
import { formatOf, missingHistory, releaseOfEarlierFormat } from '../earlier-release.ts';

const own = join(import.meta.dirname, '../../../../bin/weir');

test('back over a change of the format: refused in one line, and by the copy of the database', {
  skip: missingHistory(),
}, async (t) => {
  const earlier = releaseOfEarlierFormat();
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  mkdirSync(data);
  const identity = [
    ...['-defaultVirtualClusterID', `vci_${randomUUID().replaceAll('-', '_')}`],
    ...['-agentKey', `aks_${randomBytes(32).toString('hex')}`],
  ];
  const controlPlane = [
    ...['control-plane', ...identity, '-dataDir', data],
    ...['-bindAddress', '127.0.0.1', '-consolePort', '0'],
  ];

  /** Runs one release over the data, and stops it in order. */
  const during = async (
    program: string,
    work: (tool: (input: string, ...args: string[]) => string) => void,
  ) => {
    const plane = await startWeir(controlPlane, ['control plane'], {}, program);
    lifetime.after(() => plane.stop());
    const agent = await startWeir(
      [
        ...['agent', ...identity, '-metadataURL', plane.address('control plane')],
        ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href, '-availabilityZone', 'zone-a'],
        ...['-bindAddress', '127.0.0.1', '-kafkaPort', '0', '-httpPort', '0'],
        ...['-gracefulShutdownDuration', '1s'],
      ],
      ['Kafka', 'HTTP'],
      {},
      program,
    );
    lifetime.after(() => agent.stop());
    const { PATH } = systemEnvironment;
    work((input, ...args) =>
      execFileSync(program, ['cli', ...args, '-bootstrap-host', agent.address('Kafka')], {
        env: { PATH },
        input,
        encoding: 'utf8',
      }),
    );
    await agent.stop();
    await plane.stop();
  };
  const records = (tool: (input: string, ...args: string[]) => string): string[] =>
    tool('', 'fetch', '-topic', 'orders', '-offset', 'earliest', '-output', 'json').match(/\border \d+/g) ??
    [];

  await during(earlier.program, (tool) => {
    tool('', 'create-topic', '-topic', 'orders');
    tool('order 1\n', 'produce', '-topic', 'orders');
    assert.deepEqual(records(tool), ['order 1']);
  });
  cpSync(data, copy, { recursive: true });
  await during(own, (tool) => {
    tool('order 2\n', 'produce', '-topic', 'orders');
    assert.deepEqual(records(tool), ['order 1', 'order 2']);
  });

  const { PATH } = systemEnvironment;
  const { status, stderr } = spawnSync(earlier.program, controlPlane, { env: { PATH }, encoding: 'utf8' });
  assert.notEqual(status, 0);
  const [found, reads] = [journalFormat, formatOf(earlier)];
  assert.match(
    stderr,
    new RegExp(`written by a newer release \\(journal format ${found}, this release reads up to ${reads}\\)`),
  );
  assert.equal(stderr.trim().split('\n').length, 1, stderr);

  rmSync(data, { recursive: true });
  cpSync(copy, data, { recursive: true });
  await during(earlier.program, (tool) => {
    assert.deepEqual(records(tool), ['order 1'], 'what came after the copy is lost');
    tool('order 3\n', 'produce', '-topic', 'orders');
  });
  await during(own, (tool) => assert.deepEqual(records(tool), ['order 1', 'order 3']));
});
