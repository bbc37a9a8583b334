import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpProblem } from './http-problem.ts';
import { RouteTable } from './route-table.ts';

test('an exact path wins over prefixes, and a longer prefix over a shorter one', () => {
  const rows = ['/', '/a/', '/a/b', '/a/b/', '/a/b/c', '/a/b/c'].map((path, id) => ({ path, id }));
  const table = new RouteTable(rows);
  const cases: [path: string, ids: number[]][] = [
    ['/', [0]],
    ['/x', []],
    ['/a', []],
    ['/a/', [1]],
    ['/a/x', [1]],
    ['/a/b', [2]],
    ['/a/bc', [1]],
    ['/a/b/x', [3]],
    ['/a/b/c', [4, 5]],
    ['/a/b/c/', [3]],
    ['', []],
    ['constructor', []],
  ];
  for (const [path, ids] of cases)
    assert.deepEqual(
      table.rowsAt(path).map(({ id }) => id),
      ids,
      path,
    );
});

test('a literal segment wins over a name, unless nothing lies below it', () => {
  const table = new RouteTable([
    { method: 'GET', path: '/subjects/{subject}' },
    { method: 'POST', path: '/subjects/{name}' },
    { method: 'GET', path: '/subjects/all' },
    { method: 'GET', path: '/subjects/{subject}/versions/{id}' },
  ]);
  const cases: [method: string, path: string, matched: object | number][] = [
    ['GET', 'subjects/s', { subject: 's' }],
    ['POST', 'subjects/s', { name: 's' }],
    ['GET', 'subjects/all', {}],
    ['GET', 'subjects/all/versions/7', { subject: 'all', id: 7 }],
    ['GET', 'subjects/s/versions/x', 404],
    ['GET', 'subjects/s/versions/2147483648', 404],
    ['GET', 'subjects', 404],
    ['DELETE', 'subjects/s', 405],
    ['POST', 'subjects/all', 405],
  ];
  for (const [method, path, expected] of cases) {
    const matched = table.match(method, path.split('/'));
    assert.deepEqual(matched instanceof HttpProblem ? matched.status : matched.path, expected, path);
  }
  const refused = table.match('DELETE', ['subjects', 's']);
  assert.ok(refused instanceof HttpProblem);
  assert.deepEqual(refused.headers, { allow: 'GET, POST, HEAD, OPTIONS' });
});

test('two routes for the same requests are a mistake', () => {
  const rows = ['/a/{b}', '/a/{c}'].map((path) => ({ method: 'GET', path }));
  assert.throws(() => new RouteTable(rows), /^Error: two routes for GET \/a\/\{c\}$/);
});
