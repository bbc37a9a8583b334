import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { jsonLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { startLeader, startNode } from '../../testing/leading-node.ts';
import { until } from '../../testing/until.ts';
import { checkIntervalMs } from '../files/watched-file.ts';
import { CredentialsKeeper } from './credentials-keeper.ts';

/** A Kubernetes mount: the file is a link into `..data`, which is a link to the current version. */
class Mount {
  readonly #folder: string;
  #versions = 0;

  constructor(t: TestContext, text: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'weir-keeper-'));
    t.after(() => rmSync(this.#folder, { recursive: true, force: true }));
    this.write(text);
    symlinkSync(join('..data', 'credentials.json'), this.path);
  }

  get path(): string {
    return join(this.#folder, 'credentials.json');
  }

  write(text: string): void {
    const version = `..version-${++this.#versions}`;
    mkdirSync(join(this.#folder, version));
    writeFileSync(join(this.#folder, version, 'credentials.json'), text, { mode: 0o640 });
    const link = join(this.#folder, '..data_tmp');
    symlinkSync(version, link);
    renameSync(link, join(this.#folder, '..data'));
  }
}

const list = (...names: string[]) => JSON.stringify(names.map((name) => ({ name, password: `of ${name}` })));

async function keep(t: TestContext, node: ClusterNode, path: string) {
  const clock = new HandClock();
  const lines: string[] = [];
  const log = jsonLog({ level: 'debug', nowMs: clock.nowMs.bind(clock), write: (line) => lines.push(line) });
  const freshId = () => randomUUID().replaceAll('-', '_');
  const keeper = await CredentialsKeeper.start({ path, node, clock, log, randomBytes, freshId });
  t.after(() => keeper.stop());
  const checkOnce = async () => {
    clock.advance(checkIntervalMs);
    // The next check is scheduled when this one is done.
    await until(() => clock.waiting > 0);
    await keeper.applied();
  };
  return { keeper, lines, checkOnce };
}

async function names(node: ClusterNode): Promise<string[]> {
  return (await node.listCredentials()).map(({ name }) => name).sort();
}

test('the file is followed while the process leads, and a broken one changes nothing', async (t) => {
  const mount = new Mount(t, list('a', 'b'));
  const node = await startLeader(t);
  const { keeper, lines, checkOnce } = await keep(t, node, mount.path);
  await keeper.applied();
  assert.deepEqual(await names(node), ['ccn_a', 'ccn_b']);

  mount.write(list('b', 'c'));
  await checkOnce();
  assert.deepEqual(await names(node), ['ccn_b', 'ccn_c']);

  mount.write('[{"name": "d", "password": "of d"}');
  await checkOnce();
  await checkOnce();
  assert.deepEqual(await names(node), ['ccn_b', 'ccn_c']);
  const warnings = lines.filter((line) => line.includes('failed to reload changed file'));
  assert.equal(warnings.length, 1, 'logged once');
  assert.match(warnings[0]!, /not JSON/);

  mount.write(list('d'));
  await checkOnce();
  assert.deepEqual(await names(node), ['ccn_d']);
  assert.ok(!lines.some((line) => line.includes('of d')), 'no password is logged');
});

test('a new leader applies its own file', async (t) => {
  const databaseUrl = `memory://${randomUUID()}`;
  const leader = await startLeader(t, databaseUrl);
  const standby = await startNode(t, databaseUrl, 'two');
  await keep(t, leader, new Mount(t, list('a')).path);
  await keep(t, standby, new Mount(t, list('b')).path);
  await until(async () => (await names(leader)).join() === 'ccn_a');
  await leader.stop();
  await until(() => standby.role === 'leader');
  await until(async () => (await names(standby)).join() === 'ccn_b');
});

test('an unusable file is an error at the start', async (t) => {
  const node = await startLeader(t);
  await assert.rejects(keep(t, node, new Mount(t, 'secret of a').path), { message: 'the file is not JSON' });
});
