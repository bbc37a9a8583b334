import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostgresProblem } from './postgres-errors.ts';
import { sqliteProblem } from './sqlite-errors.ts';

test('errors of PostgreSQL have the kind that says what to do', () => {
  const cases: readonly [code: string, kind: string][] = [
    ['28P01', 'denied'],
    ['42501', 'denied'],
    ['3D000', 'bucketMissing'],
    ['42P01', 'bucketMissing'],
    ['42703', 'invalid'],
    ['22021', 'invalid'],
    ['53100', 'full'],
    ['53300', 'throttled'],
    ['53200', 'unavailable'],
    ['57014', 'timeout'],
    ['57P01', 'unavailable'],
    ['40P01', 'unavailable'],
    ['25006', 'unavailable'],
  ];
  for (const [code, kind] of cases) {
    const error = Object.assign(new Error('first line\nsecond'), { code, severity: 'ERROR' });
    const { problem } = new PostgresProblem('key', error);
    assert.deepEqual(problem, { kind, subject: 'key', text: 'PostgreSQL: first line' }, code);
  }
  for (const code of ['ECONNREFUSED', 'CONNECTION_CLOSED', 'EPIPE']) {
    const { problem } = new PostgresProblem('key', Object.assign(new Error(''), { code }));
    assert.deepEqual(problem, { kind: 'unavailable', subject: 'key', text: `PostgreSQL: ${code}` });
  }
});

test('errors of SQLite have the kind that says what to do', () => {
  const cases: readonly [errcode: number | undefined, kind: string][] = [
    [5, 'unavailable'],
    [8 | (4 << 8), 'denied'],
    [10, 'unavailable'],
    [11, 'invalid'],
    [13, 'full'],
    [14, 'bucketMissing'],
    [26, 'invalid'],
    [undefined, 'unavailable'],
  ];
  for (const [errcode, kind] of cases) {
    const problem = sqliteProblem('/b.db', Object.assign(new Error('reason'), { errcode }));
    assert.deepEqual(problem, { kind, subject: '/b.db', text: 'SQLite: reason' }, String(errcode));
  }
  const withCode = (code: string) => sqliteProblem('/b.db', Object.assign(new Error('reason'), { code }));
  assert.deepEqual(withCode('EACCES'), {
    kind: 'denied',
    subject: '/b.db',
    text: 'permission denied (EACCES)',
  });
  assert.deepEqual(withCode('ERR_INVALID_STATE').text, 'SQLite: reason');
});
