import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '@weir/core';
import postgres from 'postgres';
import { FaultyProxy } from '../../faults/cluster/faulty-proxy.ts';
import { leaderOf } from '../brokers/leader-of.ts';
import { startKafkajsWriter } from '../brokers/steady-writers.ts';
import { recordsOf, storedTopic } from '../brokers/stored.ts';
import { createTopic } from '../brokers/topics.ts';
import { pause } from '../brokers/waiting.ts';
import { type Cluster, type Lifetime, lastFirst, startCluster } from '../brokers/weir-process.ts';
import { findPrograms, freePort, signalAll } from './server.ts';

const partitionCount = 4;
const topic = 'steady';
const manyRecords = 500;
const standbyName = 'standby';
/** Generous, because the machine may be busy. */
const waitMsMax = 60_000;
const run = promisify(execFile);

/** A primary, its synchronous standby, and an address that follows the primary. */
interface Pair {
  readonly url: string;
  /** Kills all processes of the primary, as the loss of its machine does. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary, to which the address leads from then on. */
  promote(): Promise<void>;
}

/** Starts both on files of their own, or returns the reason why this machine cannot. */
async function startPair(lifetime: Lifetime): Promise<Pair | { readonly missing: string }> {
  const programs = findPrograms();
  if (programs === undefined || process.platform !== 'linux')
    return { missing: `no PostgreSQL, or not Linux: ${process.platform}-${process.arch}` };
  const folder = mkdtempSync(join(tmpdir(), 'weir-standby-'));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const giveAway = (path: string) => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
  };
  giveAway(folder);
  lifetime.after(async () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  );
  const command = (program: string, ...args: readonly string[]) =>
    run(program, [...args], { ...user, cwd: folder, timeout: waitMsMax });
  const [primaryData, standbyData] = [join(folder, 'primary'), join(folder, 'standby')];
  await command(
    join(programs, 'initdb'),
    ...['--pgdata', primaryData, '--auth=trust', '--username=weir', '--encoding=UTF8', '--no-locale'],
  );
  // A copy of a server that never ran is a base backup; not all packages of PostgreSQL have pg_basebackup.
  await command('cp', '-a', primaryData, standbyData);
  const signal = join(standbyData, 'standby.signal');
  writeFileSync(signal, '');
  giveAway(signal);

  const start = async (data: string, port: number, setting: string) => {
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder, '-c', setting],
      { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    lifetime.after(() => killAll(server));
    let output = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
    });
    await until('PostgreSQL is ready', async () => {
      assert.ok(isRunning(server), `postgres ended: ${output}`);
      return /ready to accept (?:read-only )?connections/.test(output);
    });
    return server;
  };
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const primary = await start(primaryData, primaryPort, `synchronous_standby_names=${standbyName}`);
  await start(
    standbyData,
    standbyPort,
    `primary_conninfo=host=127.0.0.1 port=${primaryPort} user=weir application_name=${standbyName}`,
  );
  const urlOf = (port: number) => `postgres://weir@127.0.0.1:${port}/postgres`;
  const sql = postgres(urlOf(primaryPort), { max: 1, onnotice: () => {} });
  await until('the standby is synchronous', async () => {
    const rows = await sql`select 1 from pg_stat_replication where sync_state = 'sync'`;
    return rows.length === 1;
  });
  await sql.end();

  let port = primaryPort;
  const address = await FaultyProxy.toPort(systemClock, () => port);
  lifetime.after(async () => address.stop());
  return {
    url: urlOf(address.port),
    killPrimary: () => killAll(primary),
    async promote() {
      await command(
        join(programs, 'pg_ctl'),
        'promote',
        '-D',
        standbyData,
        '-w',
        '-t',
        `${waitMsMax / 1_000}`,
      );
      port = standbyPort;
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function killAll(server: ChildProcess): Promise<void> {
  if (!isRunning(server)) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  signalAll(server, 'SIGKILL');
  await ended;
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const endMs = systemClock.monotonicMs() + waitMsMax;
  while (!(await isDone())) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`${what}: not within ${waitMsMax} ms`);
    await pause();
  }
}

const scenes: readonly { readonly name: string; lose(cluster: Cluster, pair: Pair): Promise<void> }[] = [
  { name: 'its primary is killed', lose: (_cluster, pair) => pair.killPrimary() },
  {
    name: 'its primary and the leading control plane are killed',
    async lose({ controlPlanes, clusterId }, pair) {
      const leader = await leaderOf(controlPlanes, clusterId);
      await Promise.all([pair.killPrimary(), controlPlanes[leader]!.kill()]);
    },
  },
];

for (const { name, lose } of scenes) {
  test(`PostgreSQL with a synchronous standby: ${name}, and no acknowledged record is lost`, {
    timeout: 300_000,
  }, async (t: TestContext) => {
    const lifetime = lastFirst(t);
    const pair = await startPair(lifetime);
    if ('missing' in pair) return t.skip(pair.missing);
    const cluster = await startCluster(lifetime, {
      agents: [{ zone: 'zone-a', controlPlane: 'all' }],
      controlPlanes: 2,
      databaseUrl: pair.url,
    });
    const servers = cluster.agents.map((agent) => agent.address('Kafka'));
    await createTopic(servers[0]!, topic, partitionCount);
    const writer = await startKafkajsWriter(lifetime, servers, topic, partitionCount);
    await writer.untilMore(manyRecords);
    await lose(cluster, pair);
    await pair.promote();
    await writer.untilMore(manyRecords);
    const { acknowledged, failed } = await writer.finish();
    assert.deepEqual(failed, []);

    // What these processes know is from the former standby alone.
    for (const [index, plane] of cluster.controlPlanes.entries()) {
      await plane.kill();
      await cluster.restartControlPlane(index);
    }
    const reader = await cluster.addAgent({ zone: 'zone-b', controlPlane: 'all' });
    const stored = await storedTopic(reader.address('Kafka'), topic, acknowledged.length);
    const found = stored.map((batches) => recordsOf(batches));
    for (const { value, partition, offset } of acknowledged)
      assert.equal(String(found[partition]![offset]?.value), value, `partition ${partition} at ${offset}`);
    const values = found.flatMap((records) => records.map(({ value }) => String(value)));
    assert.equal(new Set(values).size, values.length, 'nothing is there twice');
    assert.equal(values.length, acknowledged.length, 'nothing is there that was not acknowledged');
  });
}
