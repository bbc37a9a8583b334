import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OperationName, OutputOf } from '@weir/api';
import type { Page } from 'playwright-core';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage } from './find.ts';
import { testPages } from './pages.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

/**
 * Pages of tables with answers of this file: they are about what pages show. `journey-tables.test.ts` has those of a
 * control plane.
 */

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

type Status = NonNullable<OutputOf<'dl/get_table'>['status']>;
type Table = OutputOf<'dl/list_tables'>['tables'][number];

const time = '2026-01-31T12:00:00.000Z';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const late: Status = {
  health: { status: 'degraded', message: '1 of 3 partitions are stopped', reasons: ['partition_stopped'] },
  iceberg_metadata_matches_deployed_config: true,
  agent_id: 'agent-1',
  reported_at: time,
  topic_partitions_count: 2,
  lag_records: 1_250_000,
  query_lag_seconds: 720,
  rows: 1_200_000,
  bytes: 52_428_800,
  files: 12,
  dlq_records: 1,
  last_commit_at: time,
  partitions: [
    { partition: 0, next_offset: 10, end_offset: 12, lag_records: 2 },
    {
      partition: 1,
      next_offset: 42,
      end_offset: 50,
      lag_records: 8,
      is_stopped: true,
      error: 'total is text',
    },
  ],
};

const table: Table = {
  table_name: 'shop__page-views',
  table_uuid: '0f1e2d3c-4b5a-4968-8776-000000000001',
  table_location: 's3://lake/service/_tableflow/shop__page-views-0f1e2d3c-4b5a-4968-8776-000000000001',
  source_stream_name: 'page-views',
  source_cluster_name: 'shop',
  pipeline_id: 'pi_0f1e2d3c_4b5a_4968_8776_000000000001',
  stats_estimated_byte_count: 0,
  stats_estimated_row_count: 0,
  created_at_unix_nanos: 0n,
  created_at: time,
};

const column = (id: number, name: string, type: string) => ({ id, name, type, required: false });

type Answers = { readonly [Name in OperationName]?: OutputOf<Name> };

const answers: Answers = {
  'dl/list_tables': { tables: [{ ...table, status: late }] },
  'dl/get_table': { table, status: late },
  'dl/delete_table': {},
  'dl/describe_table': {
    metadata_location: `${table.table_location}/metadata/v2.metadata.json`,
    schemas: [
      { schema_id: 1, is_current: true, fields: [column(1, 'id', 'long'), column(2, 'total', 'double')] },
      { schema_id: 0, is_current: false, fields: [column(1, 'id', 'int')] },
    ],
    partition_fields: [{ name: 'kafka_timestamp_day', column: 'kafka_timestamp', transform: 'day' }],
    properties: {},
    snapshots: [
      {
        snapshot_id: '3051729675574597004',
        committed_at: time,
        timestamp_ms: Date.parse(time),
        operation: 'append',
        schema_id: 1,
        summary: { 'added-records': '1234', 'service.source-offsets': '{"0":10}' },
      },
    ],
    snapshot_count: 1,
    refs: [],
  },
  'dl/list_table_files': {
    files: [
      {
        path: `${table.table_location}/data/1.parquet`,
        partition: 'kafka_timestamp_day=2026-01-31',
        records: 1,
        bytes: 4_096,
      },
    ],
    is_complete: false,
  },
  'dl/list_table_failures': {
    failures: [
      {
        topic: 'page-views',
        partition: 1,
        offset: 42,
        timestamp_ms: Date.parse(time),
        key: null,
        value: { base64: base64('{"total":"twelve"}'), bytes: 18 },
        headers: [{ name: 'trace', value: base64('abc') }],
        step: 'convert',
        error: 'total: "twelve" is not a double',
        failed_at: time,
      },
    ],
    is_complete: true,
  },
  'dl/query_table': {
    columns: [
      { name: 'id', type: 'BIGINT' },
      { name: 'name', type: 'VARCHAR' },
    ],
    rows: [
      ['9007199254740993', '<b>Ada</b>'],
      ['2', null],
    ],
    is_complete: false,
    took_ms: 412,
  },
};

let stage: Stage;
let lakeId: string;
if (skip === false) {
  const local = await openStage({ after });
  const call = await callOf(local);
  const made = await call('create_virtual_cluster', {
    virtual_cluster_id: undefined,
    virtual_cluster_name: 'lake',
    virtual_cluster_type: 'byoc_data_lake',
  });
  lakeId = String(made.virtual_cluster_id);
  stage = {
    ...local,
    clusterId: async () => lakeId,
    urlOf: async (path) => local.url + path.replaceAll('{id}', lakeId),
    open: async (options) => {
      const page = await local.open(options);
      await answerTables(page);
      return page;
    },
  };
}

async function answerTables(page: Page, given: Answers = answers): Promise<void> {
  await page.route('**/api/v1/dl/*', (route) => {
    const name = new URL(route.request().url()).pathname.slice('/api/v1/'.length) as OperationName;
    const body = JSON.stringify(given[name], (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
    return route.fulfill({ body, contentType: 'application/json' });
  });
}

const ofTable = `/clusters/{id}/tables/${table.table_name}`;

testPages(
  () => stage,
  [
    {
      path: '/clusters/{id}',
      shows: ['Tables that need attention', 'Largest lag', '12 min', 'Records per second, last hour'],
    },
    { path: '/clusters/{id}/tables', shows: ['1 table · largest lag 12 min', 'degraded', 'page-views'] },
    {
      path: ofTable,
      shows: [
        '1 of 3 partitions are stopped.',
        /Deploy a configuration that takes/,
        'Lag of readers, last hour',
        /^No samples in the last hour\. While the table is written/,
        /catalogs\/iceberg\/vci_dl_/,
      ],
    },
    { path: `${ofTable}/schema`, shows: ['total double was added.', 'id changed from int to long.'] },
    { path: `${ofTable}/snapshots`, shows: ['append'] },
    { path: `${ofTable}/files`, shows: ['1.parquet', /has more files/] },
    { path: `${ofTable}/failures`, shows: ['total: "twelve" is not a double'] },
  ],
);

test('a failed record shows why and what it was, and SQL finds rows', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf(`${ofTable}/failures`));
  await page.getByRole('grid', { name: 'Failed records' }).getByText('1:42', { exact: true }).click();
  await dialogOf(page).getByText('"twelve"', { exact: true }).waitFor();
  await dialogOf(page).getByText('abc', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Query', exact: true }).last().click();
  await page.getByText('FROM "shop__page-views"').waitFor();
  await button(page, 'Run').click();
  const result = page.getByRole('grid', { name: 'Result' });
  await result.getByText('<b>Ada</b>', { exact: true }).waitFor();
  await onPage(page, '2 rows in 412 ms').waitFor();
  await onPage(page, /^There are more rows than these/).waitFor();
  await result.getByText('9007199254740993', { exact: true }).click();
  await dialogOf(page).getByText('BIGINT', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.context().close();
});

/** The row of a place of a table, by its name. */
const placeOf = (page: Page, name: string) =>
  page
    .locator('main dl > div')
    .filter({ has: page.getByRole('term').getByText(name, { exact: true }) })
    .getByRole('definition');

test('a table says which catalog has it, and what its commits fail of', bounded, async () => {
  const page = await stage.open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // A table in the bucket has no such row.
  await page.goto(await stage.urlOf(ofTable));
  await placeOf(page, 'Table').getByText(table.table_location).waitFor();
  assert.equal(await placeOf(page, 'Catalog').count(), 0);
  assert.equal(await placeOf(page, 'AWS Glue').count(), 0);

  const health = {
    status: 'failing',
    message: 'the catalog answers 403',
    reasons: ['catalog_failing'],
  } as const;
  const failing: Status = { ...late, health: { ...health, reasons: [...health.reasons] } };
  for (const [name, catalog, shown] of [
    [
      'Catalog',
      { type: 'rest', address: 'https://catalog.example/ice', table: 'lake.raw.page-views' },
      'https://catalog.example/ice lake.raw.page-views',
    ],
    [
      'AWS Glue',
      { type: 'glue', address: 'eu-central-1', table: 'raw.page_views' },
      'eu-central-1 raw.page_views',
    ],
  ] as const) {
    // What was routed last answers.
    await answerTables(page, {
      ...answers,
      'dl/get_table': { table: { ...table, catalog }, status: failing },
    });
    await page.goto(await stage.urlOf(ofTable));
    await placeOf(page, name).getByText(shown, { exact: true }).waitFor();
    await placeOf(page, name).getByRole('button', { name: 'Copy the catalog and the table in it' }).click();
    await message(page, 'Copied the catalog and the table in it').waitFor();
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), shown);
    await onPage(page, 'The catalog answers 403.').waitFor();
    await onPage(page, 'The catalog refuses commits.').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await assertFitsPhone(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  await page.context().close();
});

/** Texts that come from records, schemas and catalogs, as someone might choose them who writes to a topic. */
const hostile = '<img src=x onerror="window.injected=1">\u202egnp';
const shownHostile = '<img src=x onerror="window.injected=1">⟨U+202E⟩gnp';

const hostileAnswers: Answers = {
  'dl/get_table': {
    table: { ...table, catalog: { type: 'rest', address: hostile, table: hostile } },
    status: {
      ...late,
      health: { status: 'degraded', message: hostile, reasons: ['partition_stopped'] },
      last_error: hostile,
      last_error_at: time,
      metadata_location: hostile,
      partitions: [{ ...late.partitions![1]!, error: hostile }],
    },
  },
  'dl/describe_table': {
    ...answers['dl/describe_table']!,
    schemas: [{ schema_id: 0, is_current: true, fields: [column(1, hostile, 'long')] }],
    partition_fields: [{ name: hostile, column: hostile, transform: 'identity' }],
  },
  'dl/list_table_files': {
    files: [{ path: hostile, partition: hostile, records: 1, bytes: 1 }],
    is_complete: true,
  },
  'dl/list_table_failures': {
    ...answers['dl/list_table_failures']!,
    failures: answers['dl/list_table_failures']!.failures.map((one) => ({ ...one, error: hostile })),
  },
};

test('texts of records, schemas and catalogs are shown as text', bounded, async () => {
  const page = await stage.open();
  await answerTables(page, { ...answers, ...hostileAnswers });
  for (const path of [ofTable, `${ofTable}/schema`, `${ofTable}/files`, `${ofTable}/failures`]) {
    await page.goto(await stage.urlOf(path));
    await page.locator('main').getByText(shownHostile).first().waitFor();
    assert.equal(await page.evaluate('window.injected'), undefined, `${path}: a script ran`);
    assert.equal(await page.locator('img[src="x"]').count(), 0, `${path}: an element was made`);
    const text = await page.locator('body').innerText();
    assert.ok(!text.includes('\u202e'), `${path}: text is reversed`);
  }
  await page.context().close();
});

test(
  'engines find the table by the catalog of the cluster, and a browser keeps the engine',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf(ofTable));
    const url = `${new URL(stage.url).origin}/catalogs/iceberg/${lakeId}`;
    await onPage(page, url).waitFor();
    for (const [engine, part] of [
      ['pyiceberg', `uri="${url}"`],
      ['DuckDB', `ENDPOINT '${url}'`],
      ['Spark', `spark.sql.catalog.weir.uri=${url}`],
      ['Trino', `iceberg.rest-catalog.uri=${url}`],
    ] as const) {
      await page
        .getByRole('group', { name: 'Engine' })
        .getByRole('button', { name: engine, exact: true })
        .click();
      await page.getByRole('region', { name: engine, exact: true }).getByText(part).waitFor();
    }
    await page.reload();
    await page.getByRole('region', { name: 'Trino', exact: true }).waitFor();
    await page.context().close();
  },
);

test('deleting a table says that it is made again', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf(ofTable));
  await button(page, 'Delete').click();
  await dialogOf(page)
    .getByText(/the table is made again, empty/)
    .waitFor();
  await field(page, `Type ${table.table_name} to confirm`).fill(table.table_name);
  await button(page, `Delete ${table.table_name}`).click();
  await page.waitForURL(/\/tables$/);
  await page.context().close();
});
