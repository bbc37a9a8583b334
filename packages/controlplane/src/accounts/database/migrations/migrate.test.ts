import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import { sqliteDialect } from '../sqlite-dialect.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migration.ts';

const one: Migration = { number: 1, name: 'one', statements: ['CREATE TABLE things (id text)'] };
const two: Migration = { number: 2, name: 'two', statements: ['ALTER TABLE things ADD COLUMN name text'] };
const broken: Migration = {
  number: 3,
  name: 'broken',
  statements: ['CREATE TABLE more (id text)', 'CREATE TABLE things (id text)'],
};

test('migrations: the steps are numbered without a gap and have distinct names', () => {
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  );
  assert.equal(new Set(migrations.map(({ name }) => name)).size, migrations.length);
});

test('migrations: earlier accounts get the role that reads records, unless they have one of its name', async (t) => {
  const database = new Kysely<Schema>({ dialect: sqliteDialect(':memory:') });
  t.after(() => database.destroy());
  const clock = new HandClock();
  await migrate(database, migrations.slice(0, 10), clock);
  for (const id of ['ti_one', 'ti_two'])
    await database.insertInto('weir_accounts').values({ id, name: id, created_ms: 5, revision: 0 }).execute();
  await database
    .insertInto('weir_roles')
    .values({ id: 'pri_own', account_id: 'ti_two', name: 'Records reader', created_ms: 6 })
    .execute();
  await migrate(database, migrations, clock);
  const roles = await database.selectFrom('weir_roles').selectAll().orderBy('id').execute();
  assert.deepEqual(
    roles.map(({ id, account_id, name }) => [id, account_id, name]),
    [
      ['pri_one', 'ti_one', 'Records reader'],
      ['pri_own', 'ti_two', 'Records reader'],
    ],
  );
  const grants = await database.selectFrom('weir_role_grants').selectAll().execute();
  assert.deepEqual(grants, [{ role_id: 'pri_one', workspace_id: '*', managed_grant_name: 'read_records' }]);
});

test('migrations: missing steps run once, all or none, and downgrades are refused', async (t) => {
  const database = new Kysely<Schema>({ dialect: sqliteDialect(':memory:') });
  t.after(() => database.destroy());
  const clock = new HandClock();
  const applied = async () =>
    (await database.selectFrom('weir_account_migrations').select('name').orderBy('number').execute()).map(
      ({ name }) => name,
    );
  await migrate(database, [one], clock);
  await migrate(database, [one], clock);
  assert.deepEqual(await applied(), ['one']);
  await assert.rejects(migrate(database, [one, two, broken], clock), /already exists/);
  assert.deepEqual(await applied(), ['one']);
  await migrate(database, [one, two, { ...broken, statements: broken.statements.slice(0, 1) }], clock);
  assert.deepEqual(await applied(), ['one', 'two', 'broken']);
  await assert.rejects(migrate(database, [one, two], clock), /at step 3 .*"broken".* this release knows 2/);
});
