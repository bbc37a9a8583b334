import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { accountsDeps } from '../../../testing/accounts-deps.ts';
import { makeAccount } from '../../../testing/two-accounts.ts';
import { openAccounts } from '../open.ts';

const yaml = 'input: {x: {password: hunter2}}\noutput: {drop: {}}\n';
const parts = [{ name: 'a', yaml: 'x: {password: hunter3}\n' }];

async function start(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-pipelines-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'weir.db');
  const deps = accountsDeps();
  const accounts = await openAccounts(path, deps);
  t.after(() => accounts.close());
  const { accountId, a } = await makeAccount(accounts, 'Ours');
  const { id: pipelineId } = await accounts.pipelines.create(accountId, a.clusterId, 'p', 'bento');
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  return {
    path,
    deps,
    database,
    pipelines: accounts.pipelines,
    place: { accountId, clusterId: a.clusterId, pipelineId },
  };
}

const stored = (database: DatabaseSync) =>
  database.prepare('SELECT yaml, parts FROM weir_pipeline_configurations ORDER BY version').all() as {
    yaml: string;
    parts: string | null;
  }[];

test('configurations are sealed in the database, each for itself', async (t) => {
  const { database, pipelines, place } = await start(t);
  await pipelines.addConfiguration(place, { yaml, parts, hasSecrets: true });
  await pipelines.addConfiguration(place, { yaml });
  const rows = stored(database);
  assert.doesNotMatch(JSON.stringify(rows), /hunter/);
  const read = await pipelines.configurations(place);
  assert.deepEqual(
    read.map((one) => [one.yaml, one.parts]),
    [
      [yaml, parts],
      [yaml, undefined],
    ],
  );
  // Moved to another row, it does not open.
  database.prepare('UPDATE weir_pipeline_configurations SET yaml = ? WHERE version = 2').run(rows[0]!.yaml);
  await assert.rejects(pipelines.configurations(place), /sealed for another purpose/);
});

test('configurations of an earlier release are read, and sealed with the next one', async (t) => {
  const { database, pipelines, place } = await start(t);
  await pipelines.addConfiguration(place, { yaml, parts });
  database
    .prepare('UPDATE weir_pipeline_configurations SET yaml = ?, parts = ?')
    .run(yaml, JSON.stringify(parts));
  const [old] = await pipelines.configurations(place);
  assert.deepEqual([old!.yaml, old!.parts], [yaml, parts]);
  await pipelines.addConfiguration(place, { yaml: 'input: {}\noutput: {}\n' });
  assert.doesNotMatch(JSON.stringify(stored(database)), /hunter/);
  const [again] = await pipelines.configurations(place);
  assert.deepEqual([again!.yaml, again!.parts], [yaml, parts]);
});

test('without a sealing key no configuration with a secret is stored', async (t) => {
  const { path, deps, place } = await start(t);
  const { secretBox: _, ...without } = deps;
  const { pipelines, close } = await openAccounts(path, without);
  t.after(() => close());
  await assert.rejects(pipelines.addConfiguration(place, { yaml, hasSecrets: true }), {
    code: 'no_sealing_keys',
  });
  await pipelines.addConfiguration(place, { yaml: 'input: {}\noutput: {}\n', hasSecrets: false });
  assert.equal((await pipelines.configurations(place)).length, 1);
});
