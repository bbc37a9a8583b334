import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerCatalog } from './catalog-answers.ts';

const names = ['k1__a.b', 'k1__orders', 'k1__users'];
const tables = {
  list: async () => names,
  load: async (name: string) =>
    name === 'k1__orders' || name === 'k1__a.b'
      ? {
          location: `s3://lake/${name}/v3.metadata.json`,
          metadata: '{"current-snapshot-id":3051729675574597004}',
        }
      : undefined,
};

async function ask(method: string, target: string) {
  const { pathname, searchParams: query } = new URL(target, 'http://catalog/v1/');
  const parts = pathname.replace('/v1/', '').split('/');
  const { status, body } = await answerCatalog({ method, parts, query }, tables);
  return [status, body === undefined ? undefined : JSON.parse(body)];
}

const identifiers = (...given: string[]) => given.map((name) => ({ namespace: ['default'], name }));

const answers: readonly [method: string, target: string, status: number, body: unknown][] = [
  ['GET', 'namespaces', 200, { namespaces: [['default']], 'next-page-token': null }],
  ['GET', 'namespaces?parent=default', 200, { namespaces: [], 'next-page-token': null }],
  ['GET', 'namespaces/default', 200, { namespace: ['default'], properties: {} }],
  ['HEAD', 'namespaces/default', 204, undefined],
  ['GET', 'namespaces/default/views', 200, { identifiers: [] }],
  ['GET', 'namespaces/default/tables', 200, { identifiers: identifiers(...names), 'next-page-token': null }],
  [
    'GET',
    'namespaces/default/tables?pageSize=2',
    200,
    { identifiers: identifiers('k1__a.b', 'k1__orders'), 'next-page-token': 'k1__orders' },
  ],
  [
    'GET',
    'namespaces/default/tables?pageToken=k1__orders&pageSize=2',
    200,
    { identifiers: identifiers('k1__users'), 'next-page-token': null },
  ],
  ['HEAD', 'namespaces/default/tables/k1__orders', 204, undefined],
  ['HEAD', 'namespaces/default/tables/other', 404, undefined],
  ['POST', 'namespaces/default/tables/k1__orders/metrics', 204, undefined],
];

for (const [method, target, status, body] of answers)
  test(`${method} ${target}: ${status}`, async () => {
    assert.deepEqual(await ask(method, target), [status, body]);
  });

const refusals: readonly [method: string, target: string, status: number, type: string][] = [
  ['GET', 'namespaces?parent=other', 404, 'NoSuchNamespaceException'],
  ['GET', 'namespaces/default%1Finner', 404, 'NoSuchNamespaceException'],
  ['HEAD', 'namespaces/other', 404, 'NoSuchNamespaceException'],
  ['GET', 'namespaces/other/tables', 404, 'NoSuchNamespaceException'],
  ['GET', 'namespaces/default/tables/other', 404, 'NoSuchTableException'],
  ['GET', 'namespaces/default%1Fk1__orders/tables/snapshots', 404, 'NoSuchTableException'],
  // A table without a commit.
  ['GET', 'namespaces/default/tables/k1__users', 404, 'NoSuchTableException'],
  ['GET', 'namespaces/default/tables?pageSize=0', 400, 'BadRequestException'],
  ['GET', 'namespaces/default/tables?pageSize=x', 400, 'BadRequestException'],
  ['GET', 'namespaces/%zz', 400, 'BadRequestException'],
  ['GET', 'warehouses', 404, 'NotFoundException'],
  ['GET', 'namespaces/default/tables/a/b/c', 404, 'NotFoundException'],
  ['POST', 'namespaces', 403, 'ForbiddenException'],
  ['POST', 'namespaces/default/tables', 403, 'ForbiddenException'],
  ['POST', 'namespaces/default/tables/k1__orders', 403, 'ForbiddenException'],
  ['DELETE', 'namespaces/default/tables/k1__orders?purgeRequested=true', 403, 'ForbiddenException'],
  ['POST', 'tables/rename', 403, 'ForbiddenException'],
  ['POST', 'transactions/commit', 403, 'ForbiddenException'],
  ['POST', 'oauth/tokens', 403, 'ForbiddenException'],
];

for (const [method, target, status, type] of refusals)
  test(`${method} ${target}: ${type}`, async () => {
    const [found, body] = await ask(method, target);
    assert.deepEqual([found, body.error.type, body.error.code], [status, type, status]);
    assert.ok(body.error.message.length > 0);
  });

test('metadata is passed on with its exact numbers', async () => {
  const parts = ['namespaces', 'default', 'tables', 'k1__orders'];
  const { body } = await answerCatalog({ method: 'GET', parts, query: new URLSearchParams() }, tables);
  assert.equal(
    body,
    '{"metadata-location":"s3://lake/k1__orders/v3.metadata.json","metadata":{"current-snapshot-id":3051729675574597004},"config":{}}',
  );
});
