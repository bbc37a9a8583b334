import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { DiagnosticRecord } from '@weir/diagnostics';
import { changeDiagnostics, diagnosticsStoreContract } from '@weir/diagnostics/testing';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { openDatabase } from './database/open-database.ts';
import { SqlDiagnosticsStore } from './sql-diagnostics-store.ts';

const folder = await mkdtemp(join(tmpdir(), 'weir-diagnostics-'));
const opened: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of opened) await close();
  await rm(folder, { recursive: true, force: true });
});

async function openAt(url: string) {
  const { database, close } = await openDatabase(url, accountsDeps());
  opened.push(close);
  return { database, store: new SqlDiagnosticsStore(database) };
}

const inMemory = () => openAt(`memory://${randomUUID()}`);

diagnosticsStoreContract('memory', async () => (await inMemory()).store);
diagnosticsStoreContract('SQLite', async () => (await openAt(join(folder, `${randomUUID()}.db`))).store);

test('one process continues with the findings of another', async () => {
  const url = join(folder, `${randomUUID()}.db`);
  const [one, two] = [await openAt(url), await openAt(url)];
  const checked = (result: readonly []) => ({ kind: 'looked', atMs: 1, result }) as const;
  await changeDiagnostics(one.store, 'vci_a', [{ name: 'no_agents', event: checked([]) }], 1);
  const [found] = await two.store.load('vci_a');
  assert.equal(found!.record.status, 'healthy');
});

test('a run without changes writes nothing', async () => {
  const { store, database } = await inMemory();
  const run = () =>
    changeDiagnostics(
      store,
      'vci_a',
      [{ name: 'no_agents', event: { kind: 'looked', atMs: 1, result: [] } }],
      1,
    );
  await run();
  const before = await database.selectFrom('weir_diagnostics').selectAll().execute();
  let saves = 0;
  const save = store.save.bind(store);
  store.save = (changes) => {
    saves++;
    return save(changes);
  };
  for (let minute = 0; minute < 5; minute++) await run();
  assert.equal(saves, 0);
  assert.deepEqual(await database.selectFrom('weir_diagnostics').selectAll().execute(), before);
});

test('a record of an earlier release lacks new fields and is still read', async () => {
  const { store, database } = await inMemory();
  const record = JSON.stringify({ clusterId: 'vci_a', name: 'no_agents', status: 'failed' });
  const row = { cluster_id: 'vci_a', name: 'no_agents', version: 3, record };
  await database.insertInto('weir_diagnostics').values(row).execute();
  const [found] = await store.load('vci_a');
  assert.partialDeepStrictEqual(found, {
    version: 3,
    record: { status: 'failed', findings: [], mute: null } satisfies Partial<DiagnosticRecord>,
  });
});

test('two concurrent saves do not block each other, and one of them reports the conflict', async () => {
  const url = join(folder, `${randomUUID()}.db`);
  const [one, two] = [await openAt(url), await openAt(url)];
  const names = ['no_agents', 'small_files', 'lost_agent'];
  const events = names.map((name) => ({ name, event: { kind: 'looked', atMs: 1, result: [] } as const }));
  const both = await Promise.all([
    changeDiagnostics(one.store, 'vci_a', events, 1),
    changeDiagnostics(two.store, 'vci_a', [...events].reverse(), 1),
  ]);
  for (const { records } of both) assert.equal(records.length, names.length);
  assert.deepEqual(
    (await one.store.load('vci_a')).map(({ version }) => version),
    [1, 1, 1],
  );
});
