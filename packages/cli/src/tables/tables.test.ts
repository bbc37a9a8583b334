import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { catalogue, type OperationName, printJson } from '@weir/api';
import { runArguments } from '../../testing/command-run.ts';

/** A server that answers every operation with its example, and has these clusters. */
async function start(t: TestContext) {
  const clusters: object[] = [];
  const [exampleCluster] = catalogue.list_virtual_clusters.example.output.virtual_clusters;
  const server = createServer((request, response) => {
    const name = request.url!.replace('/api/v1/', '') as OperationName;
    const answer =
      name === 'list_virtual_clusters' ? { virtual_clusters: clusters } : catalogue[name].example.output;
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(printJson(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const run = (...words: readonly string[]) =>
    runArguments(['cli', 'tables', ...words], {
      environment: { SERVICE_API_URL: `http://127.0.0.1:${port}`, SERVICE_API_KEY: `aks_${'1'.repeat(64)}` },
    });
  const create = (name: string, id: string) => clusters.push({ ...exampleCluster, name, id });
  return { create, run };
}

const [exampleTable] = catalogue['dl/list_tables'].example.output.tables;
const { table_name } = exampleTable!;

test('tables are listed, described and queried; the data lake cluster is found', async (t) => {
  const { create, run } = await start(t);
  create('kafka', `vci_${'1'.repeat(8)}`);
  assert.match((await run('list')).err, /the key has access to no data lake cluster/);
  create('lake', `vci_dl_${'1'.repeat(8)}`);
  const cases: readonly [words: readonly string[], out: string | RegExp][] = [
    [['list'], /^TABLE +TOPIC +HEALTH +ROWS +LAG +KEPT\necommerce__orders +orders +- +- +- +-\n$/],
    [
      ['describe', '-table', table_name],
      /^metadata +s3:.*\nschema +0, of 1\npartitions +day\(kafka_timestamp\)\n/,
    ],
    [
      ['describe', '-table', exampleTable!.table_uuid],
      /\nID +COLUMN +TYPE +REQUIRED\n1 +total +decimal\(9, 2\) +no\n/,
    ],
    [
      ['files', '-table', table_name],
      /^ROWS +BYTES +PARTITION +FILE\n1200 +52428 +kafka_timestamp_day=2026-01-31 +s3:/,
    ],
    [['query', '-sql', 'SELECT 1'], 'status  n\npaid    1100\nnew     100\n'],
    [
      ['failures', '-table', table_name],
      /^FAILED AT +PARTITION +OFFSET +STEP +ERROR\n\S+ +0 +42 +convert +total: a value is required\n$/,
    ],
    [
      ['replay', '-table', table_name],
      /^An agent replays the kept records of ecommerce__orders; see "weir cli/,
    ],
  ];
  for (const [words, out] of cases) {
    const shown = await run(...words);
    assert.equal(shown.status, 0, `${words.join(' ')}: ${shown.err}`);
    if (typeof out === 'string') assert.equal(shown.out, out);
    else assert.match(shown.out, out);
  }
  const json = await run('query', '-sql', 'SELECT 1', '-output', 'json');
  assert.deepEqual(JSON.parse(json.out), catalogue['dl/query_table'].example.output);
  const unknown = await run('describe', '-table', 'ecommerce__order');
  assert.equal(
    unknown.err.trim(),
    'weir cli tables describe: -table ecommerce__order: not found; did you mean ecommerce__orders?',
  );
  assert.match((await run('query')).err, /-sql is required/);
});
