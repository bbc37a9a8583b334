import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import { accountsDeps } from '../../../testing/accounts-deps.ts';
import { makeAccount } from '../../../testing/two-accounts.ts';
import { openAccounts } from '../open.ts';

const value = 'correct-horse-battery';
const by = 'ada@example.com';

async function start(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-secrets-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'weir.db');
  const deps = accountsDeps();
  const accounts = await openAccounts(path, deps);
  t.after(() => accounts.close());
  const ours = await makeAccount(accounts, 'Ours');
  const theirs = await makeAccount(accounts, 'Theirs');
  const place = { accountId: ours.accountId, clusterId: ours.a.clusterId };
  return { directory, path, deps, ...accounts, ours, theirs, place };
}

test('a value is in no file of the database, and opens only where it was sealed', async (t) => {
  const { directory, path, secrets, place } = await start(t);
  await secrets.create(place, { name: 'one', value }, by);
  await secrets.create(place, { name: 'two', value: 'another value' }, by);
  await secrets.change(place, 'two', { value: `${value}!` }, by);
  for (const file of readdirSync(directory))
    assert.ok(!readFileSync(join(directory, file)).includes('correct-horse'), file);
  assert.deepEqual(await secrets.open(place, ['one', 'two', 'three']), { one: value, two: `${value}!` });
  // Moved to another row, it does not open, and does not keep the other one.
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  database.exec(
    `UPDATE weir_secrets SET sealed_value = (SELECT sealed_value FROM weir_secrets WHERE name = 'one') WHERE name = 'two'`,
  );
  assert.deepEqual(await secrets.open(place, ['one', 'two']), { one: value });
});

test('secrets belong to one cluster of one account', async (t) => {
  const { secrets, place, ours, theirs } = await start(t);
  await secrets.create(place, { name: 'one', value }, by);
  const strangers = [
    { accountId: theirs.accountId, clusterId: place.clusterId },
    { accountId: ours.accountId, clusterId: ours.b.clusterId },
    { accountId: theirs.accountId, clusterId: theirs.a.clusterId },
  ];
  for (const stranger of strangers) {
    assert.deepEqual(await secrets.list(stranger), []);
    assert.deepEqual(await secrets.open(stranger, ['one']), {});
    await assert.rejects(secrets.change(stranger, 'one', { value: 'x' }, by), { code: 'not_found' });
    await assert.rejects(secrets.delete(stranger, 'one'), { code: 'not_found' });
  }
  await assert.rejects(secrets.create(strangers[0]!, { name: 'two', value }, by), { code: 'not_found' });
  await secrets.create(strangers[2]!, { name: 'one', value: 'theirs' }, by);
  assert.deepEqual(await secrets.open(place, ['one']), { one: value });
});

test('exporters get the secrets that are made for them', async (t) => {
  const { secrets, place } = await start(t);
  await secrets.create(place, { name: 'one', value }, by);
  await secrets.create(place, { name: 'two', value, allowsExporters: true }, by);
  const opened = () => secrets.open(place, ['one', 'two'], { forExporters: true });
  assert.deepEqual(Object.keys(await opened()), ['two']);
  await secrets.change(place, 'two', { allowsExporters: false }, by);
  assert.deepEqual(await opened(), {});
  const [, two] = await secrets.list(place);
  assert.equal(two!.version, 1, 'the value is the same');
});

test('a secret in use stays, and an old configuration that lost one is not deployed', async (t) => {
  const { secrets, pipelines, place } = await start(t);
  const { id: pipelineId } = await pipelines.create(place.accountId, place.clusterId, 'p', 'bento');
  const pipeline = { ...place, pipelineId };
  const add = (...secretNames: string[]) =>
    pipelines.addConfiguration(pipeline, { yaml: 'input: {}', secretNames });
  await assert.rejects(add('one'), {
    code: 'invalid_pipeline_configuration',
    message: /the secret one, which does not exist in the cluster/,
  });
  await secrets.create(place, { name: 'one', value }, by);
  const first = await add('one');
  const used = {
    code: 'secret_in_use',
    message: /^The secret "one" is used by the pipeline "p" \(version 1\);/,
  };
  await assert.rejects(secrets.delete(place, 'one'), used, 'the newest configuration');
  await pipelines.change(pipeline, { deployedConfigurationId: first.id });
  const second = await add();
  await assert.rejects(secrets.delete(place, 'one'), used, 'the deployed configuration');
  assert.deepEqual(await secrets.uses(place), [{ pipelineName: 'p', version: 1, secretNames: ['one'] }]);
  await pipelines.change(pipeline, { deployedConfigurationId: second.id });
  await secrets.delete(place, 'one');
  await assert.rejects(pipelines.change(pipeline, { deployedConfigurationId: first.id }), {
    code: 'invalid_pipeline_configuration',
  });
  await pipelines.delete(pipeline);
});

test('a cluster has at most so many, names are unique, and go with their cluster', async (t) => {
  const { secrets, virtualClusters, place, deps } = await start(t);
  for (let at = 0; at < apiLimits.secretsPerClusterMax; at++)
    await secrets.create(place, { name: `s${at}`, value }, by);
  await assert.rejects(secrets.create(place, { name: 's0', value }, by), { code: 'duplicate_name' });
  await assert.rejects(secrets.create(place, { name: 'more', value }, by), { code: 'limit_exceeded' });
  await secrets.delete(place, 's0');
  await assert.rejects(secrets.create(place, { name: '0', value }, by), { code: 'invalid_request' });
  await virtualClusters.delete(place.accountId, place.clusterId);
  deps.clock.advance(30 * 86_400_000);
  const [forgotten] = await virtualClusters.listForgotten();
  await virtualClusters.forget(forgotten!);
  assert.deepEqual(await secrets.list(place), []);
});

test('without a sealing key no secret is stored or opened', async (t) => {
  const { path, deps, secrets: before, place } = await start(t);
  await before.create(place, { name: 'one', value }, by);
  const { secretBox: _, ...without } = deps;
  const { secrets, close } = await openAccounts(path, without);
  t.after(() => close());
  const refused = { code: 'no_sealing_keys' };
  await assert.rejects(secrets.create(place, { name: 'two', value }, by), refused);
  await assert.rejects(secrets.change(place, 'one', { value: 'x' }, by), refused);
  assert.deepEqual(await secrets.open(place, ['one']), {});
});
