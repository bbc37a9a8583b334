import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTableQuestion } from './table-question.ts';

const table = { tableName: 'k1__orders', tableUuid: 'u' };

const known: readonly object[] = [
  { kind: 'tableMetadata', table },
  {
    kind: 'tableMetadata',
    table: { ...table, bucketUrl: 's3://lake' },
    knownLocation: 's3://lake/v1.metadata.json',
  },
  { kind: 'describeTable', table },
  { kind: 'tableFiles', table, limit: 5 },
  { kind: 'tableFailures', table, limit: 5 },
  { kind: 'tableSql', sql: 'SELECT 1', tables: [table], limit: 5 },
];

const malformed: readonly [question: object, problem: RegExp][] = [
  [{ kind: 'describeTable' }, /question\.table: /],
  [{ kind: 'describeTable', table: { tableName: 'k1__orders' } }, /question\.table\.tableUuid: /],
  [{ kind: 'tableFiles', table, limit: 0.5 }, /question\.limit: not a whole number/],
  [{ kind: 'tableSql', sql: 5, tables: [], limit: 5 }, /question\.sql: not a text/],
  [{ kind: 'tableSql', sql: '', tables: [{}], limit: 5 }, /question\.tables/],
];

for (const question of known)
  test(`${JSON.stringify(question)} is a question`, () => {
    assert.deepEqual(readTableQuestion(question), question);
  });

for (const [question, problem] of malformed)
  test(`${JSON.stringify(question)} is malformed`, () => {
    assert.throws(() => readTableQuestion(question), problem);
  });

for (const other of [null, 5, 'tableSql', {}, { kind: 'search' }, { kind: 'readRecords' }])
  test(`${JSON.stringify(other)} is something else`, () => {
    assert.equal(readTableQuestion(other), undefined);
  });
