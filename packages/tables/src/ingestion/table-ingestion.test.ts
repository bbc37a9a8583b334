import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause } from '@weir/core/testing';
import {
  CatalogDenied,
  commitChange,
  currentSchema,
  defaultSpec,
  FileChange,
  planFiles,
  snapshotOfRef,
} from '@weir/iceberg';
import { column, definition, IngestedTable, noDeps } from '../../testing/ingested-table.ts';
import { MemoryTopic } from '../../testing/memory-source.ts';
import { RowBudget } from '../append/row-budget.ts';
import { carriedSummary } from '../append/summary-keys.ts';

const isRow = (text: string | undefined) => text?.startsWith('{') === true;
const record = (id: number) => JSON.stringify({ id, note: `note ${id}` });

test('records become rows once, over restarts, and nothing is committed when nothing moved', async () => {
  const table = new IngestedTable();
  for (let at = 0; at < 20; at++) table.topic.write(at % 2, record(at));
  const first = table.start();
  await table.until(() => table.hasAll());
  assert.deepEqual(await table.places(), table.placesOf());
  const snapshots = (await table.metadata()).snapshots.length;
  table.clock.advance(3_600_000);
  await first.stop();
  assert.equal(table.clock.waiting, 0, 'an idle table has no timers');
  assert.equal((await table.metadata()).snapshots.length, snapshots);
  for (let at = 20; at < 30; at++) table.topic.write(at % 2, record(at));
  const second = table.start();
  await table.until(() => table.hasAll());
  await second.stop();
  assert.deepEqual(await table.places(), table.placesOf());
  const [row] = await table.rows();
  assert.deepEqual({ id: row!.id, note: row!.note }, { id: 0n, note: 'note 0' });
  const { counts, partitions, ingestionLagMs, table: status } = second.ingestion.progress();
  assert.deepEqual(
    {
      rows: counts.rows,
      commits: counts.commits,
      ingestionLagMs,
      files: status!.fileCount,
      total: status!.rowCount,
    },
    { rows: 10, commits: 1, ingestionLagMs: 0, files: 2, total: 30 },
  );
  assert.deepEqual(
    partitions.map(({ nextOffset, endOffset, isStopped }) => [nextOffset, endOffset, isStopped]),
    [
      [15n, 15n, false],
      [15n, 15n, false],
    ],
  );
  assert.deepEqual(
    table.events.map(({ type }) => type),
    ['ingestion_started', 'table_created', 'ingestion_stopped', 'ingestion_started', 'ingestion_stopped'],
  );
});

test('what is read is committed when ingestion stops', async () => {
  const table = new IngestedTable();
  table.topic.write(0, record(1));
  const { ingestion, stop } = table.start({ definition: definition({ commitIntervalMs: 3_600_000 }) });
  const partition = () => ingestion.progress().partitions[0];
  while (partition()?.readOffset !== 1n) await pause(0);
  assert.equal(partition()!.nextOffset, 0n);
  await stop();
  assert.deepEqual(await table.places(), ['0/0']);
});

test('filtered and skipped records pass; offsets alone are committed seldom', async () => {
  const table = new IngestedTable();
  const values = [record(1), 'bad 1', 'drop', null, record(2)];
  for (const value of values) table.topic.write(0, value);
  const { ingestion, stop } = table.start();
  await table.until(() => table.hasAll());
  assert.deepEqual(await table.places(), table.placesOf(isRow));
  const before = (await table.metadata()).snapshots.length;
  for (let at = 0; at < 30; at++) table.topic.write(0, 'drop');
  await table.until(() => ingestion.progress().partitions[0]!.readOffset === 35n);
  assert.equal((await table.metadata()).snapshots.length, before);
  table.clock.advance(300_000);
  await table.until(() => table.hasAll());
  assert.equal((await table.metadata()).snapshots.length, before + 1);
  await stop();
  const { filtered, skipped } = ingestion.progress().counts;
  assert.deepEqual({ filtered, skipped }, { filtered: 32, skipped: 1 });
  const failed = table.events.filter(({ type }) => type === 'record_ingestion_failed');
  assert.deepEqual(
    failed.map(({ message, partition, offset }) => [message, partition, offset]),
    [['decode: bad 1 is no JSON', 0, 1n]],
  );
});

test('events about failed records are few', async () => {
  const table = new IngestedTable();
  for (let at = 0; at < 100; at++) table.topic.write(0, `bad ${at}`);
  const { ingestion, stop } = table.start();
  await table.until(() => ingestion.progress().counts.skipped === 100);
  await stop();
  assert.equal(table.events.filter(({ type }) => type === 'record_ingestion_failed').length, 10);
});

test('stop: the partition waits at the record, others go on, and another definition resumes it', async () => {
  const table = new IngestedTable();
  for (const value of [record(1), 'bad', record(2)]) table.topic.write(0, value);
  table.topic.write(1, record(3));
  const stopping = definition({ deadLetters: { mode: 'stop', retentionMs: undefined } });
  const first = table.start({ definition: stopping });
  await table.until(async () => (await table.offset(1)) === 1n);
  table.topic.write(1, record(4));
  await table.until(async () => (await table.offset(1)) === 2n);
  const [stopped] = first.ingestion.progress().partitions;
  assert.deepEqual([stopped!.isStopped, stopped!.nextOffset], [true, 1n]);
  assert.match(
    stopped!.error!,
    /^record at offset 1 of partition 0 cannot be a row \(decode: bad is no JSON\)/,
  );
  await first.stop();
  assert.deepEqual(await table.places(), ['0/0', '1/0', '1/1']);
  const second = table.start({ definition: definition() });
  await table.until(() => table.hasAll());
  await second.stop();
  assert.deepEqual(await table.places(), ['0/0', '0/2', '1/0', '1/1']);
  const types = table.events.map(({ type }) => type).filter((type) => type.startsWith('partition'));
  assert.deepEqual(types, ['partition_stopped', 'partition_resumed']);
});

test('a log that begins later leaves a gap, and one that ends before stops the partition', async () => {
  const table = new IngestedTable();
  for (let at = 0; at < 3; at++) for (const partition of [0, 1]) table.topic.write(partition, record(at));
  const first = table.start();
  await table.until(() => table.hasAll());
  await first.stop();
  for (let at = 3; at < 8; at++) table.topic.write(0, record(at));
  table.topic.deleteBefore(0, 6n);
  const log = table.topic.log(1);
  log.records = [];
  log.end = 0n;
  for (let at = 0; at < 2; at++) table.topic.write(1, record(100 + at));
  const second = table.start();
  await table.until(async () => (await table.offset(0)) === 8n);
  await second.stop();
  assert.deepEqual(await table.places(), ['0/0', '0/1', '0/2', '0/6', '0/7', '1/0', '1/1', '1/2']);
  const { counts, partitions } = second.ingestion.progress();
  assert.equal(counts.missed, 3n);
  assert.match(
    partitions[1]!.error!,
    /ends at offset 2, but the table has it up to 3: the topic was truncated/,
  );
  const types = table.events.map(({ type }) => type);
  assert.ok(types.includes('source_gap') && types.includes('partition_stopped'));
});

test('the log may begin later while it is read', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const { stop, ingestion } = table.start();
  await table.until(() => table.hasAll());
  table.topic.deleteBefore(0, 5n);
  table.topic.log(0).end = 5n;
  table.topic.write(0, record(5));
  await table.until(() => table.hasAll());
  await stop();
  assert.deepEqual(await table.places(), ['0/0', '0/5']);
  assert.equal(ingestion.progress().counts.missed, 4n);
});

test('a topic that was created anew is not read', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const first = table.start();
  await table.until(() => table.hasAll());
  await first.stop();
  table.topic.topicId = 'topic-2';
  table.topic.write(0, record(1));
  const second = table.start();
  await table.until(() => second.ingestion.progress().partitions[0]?.isStopped === true);
  await second.stop();
  assert.match(
    second.ingestion.progress().partitions[0]!.error!,
    /^topic orders was created anew: its id is topic-2/,
  );
  assert.deepEqual(await table.places(), ['0/0']);
});

test('partitions that are added to the topic are read', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const { stop } = table.start();
  await table.until(() => table.hasAll());
  table.topic.addPartition();
  table.topic.write(1, record(1));
  await table.until(() => table.hasAll());
  await stop();
  assert.deepEqual(await table.places(), ['0/0', '1/0']);
});

test('another definition evolves the table: columns, partitions, properties', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const first = table.start({
    definition: definition({ own: [column('id', 'int'), column('old', 'string')] }),
  });
  await table.until(() => table.hasAll());
  await first.stop();
  table.topic.write(0, JSON.stringify({ id: 7, added: 'x' }));
  const evolved = definition({
    own: [column('added', 'string'), column('id', 'long')],
    partitionBy: [
      { column: 'kafka_timestamp', transform: 'day' },
      { column: 'id', transform: 'bucket[4]' },
    ],
    compression: 'snappy',
  });
  const second = table.start({ definition: evolved });
  await table.until(() => table.hasAll());
  await second.stop();
  const metadata = await table.metadata();
  assert.deepEqual(
    currentSchema(metadata).columns.map(({ id, name, type }) => [id, name, type.kind]),
    [
      [1, 'id', 'long'],
      [2, 'old', 'string'],
      [3, 'kafka_partition', 'int'],
      [4, 'kafka_offset', 'long'],
      [5, 'kafka_timestamp', 'timestamptz'],
      [6, 'added', 'string'],
    ],
  );
  assert.deepEqual(
    defaultSpec(metadata).fields.map(({ name }) => name),
    ['kafka_timestamp_day', 'id_bucket'],
  );
  assert.equal(metadata.properties['write.parquet.compression-codec'], 'snappy');
  const [, row] = await table.rows();
  assert.deepEqual({ id: row!.id, added: row!.added }, { id: 7n, added: 'x' });
  const types = table.events.map(({ type }) => type);
  assert.ok(types.includes('schema_evolved') && types.includes('partitioning_evolved'));
  // The narrower definition still writes: its values become those of the table.
  table.topic.write(0, record(8));
  const third = table.start({ definition: definition({ own: [column('id', 'int')] }) });
  await table.until(() => table.hasAll());
  await third.stop();
  assert.equal((await table.rows())[2]!.id, 8n);
});

test('an impossible evolution ends ingestion with one line', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const first = table.start();
  await table.until(() => table.hasAll());
  await first.stop();
  const other = table.start({ definition: definition({ own: [column('id', 'string')] }) });
  await assert.rejects(table.settled(other.ended), {
    name: 'TableBlocked',
    message: 'id: the table has long, which cannot become string; choose another name for the column',
  });
  assert.equal(other.ingestion.progress().lastError!.cause, 'catalog');
});

test('rows of a partitioned table are in files of their partition, and partitions are limited', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1, 100) });
  for (let at = 0; at < 30; at++) table.topic.write(0, record(at % 3));
  const byId = definition({ partitionBy: [{ column: 'id', transform: 'identity' }] });
  const first = table.start({ definition: byId });
  await table.until(() => table.hasAll());
  await first.stop();
  assert.deepEqual(
    await table.places(),
    table.placesOf().toSorted((a, b) => Number(a.slice(2)) - Number(b.slice(2))),
  );
  const { table: status } = first.ingestion.progress();
  assert.deepEqual([status!.fileCount, status!.partitionCount], [3, 3]);
  for (let at = 0; at < 6; at++) table.topic.write(0, record(at));
  const second = table.start({ definition: byId, partitionsMax: 5 });
  await assert.rejects(table.settled(second.ended), {
    name: 'TableBlocked',
    message: /^the table would have more than 5 partitions; choose a coarser partition_by/,
  });
});

test('a table with too many files takes no rows until some are merged', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1, 100) });
  const byId = definition({ partitionBy: [{ column: 'id', transform: 'identity' }] });
  for (let at = 0; at < 4; at++) table.topic.write(0, record(at));
  const { ingestion, stop } = table.start({ definition: byId, filesMax: 3 });
  const problem = () => ingestion.progress().lastError?.message ?? '';
  await table.until(() => /^the table has 4 data files, and at most 3 while rows/.test(problem()));
  assert.deepEqual([ingestion.progress().isFailing, ingestion.progress().table!.filesMax], [true, 3]);
  table.topic.write(0, record(0));
  await table.until(() => table.clock.waiting > 0);
  for (let turn = 0; turn < 100; turn++) {
    table.clock.advance(1000);
    await pause(0);
  }
  assert.equal((await table.rows()).length, 4);
  const { data } = await planFiles(
    table.files,
    await table.metadata(),
    snapshotOfRef(await table.metadata()),
  );
  const removed = data.slice(0, 2).map(({ file }) => file.path);
  const change = new FileChange({ operation: 'delete', removed, summary: carriedSummary }, table.options());
  await commitChange(table.catalog, table.name, change, table.options());
  await table.until(() => table.hasAll());
  await stop();
  assert.equal((await table.rows()).length, 3);
});

test('a catalog that denies access is told from one that fails', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const catalog = table.catalogOver(table.store);
  let failure: Error | undefined = new CatalogDenied('status 403; check the credentials');
  catalog.load = (name) => (failure === undefined ? table.catalog.load(name) : Promise.reject(failure));
  const { ingestion, stop } = table.start({ catalog });
  const told = () => [ingestion.progress().lastError?.cause, ingestion.progress().lastError?.isDenied];
  await table.until(() => ingestion.progress().isFailing);
  assert.deepEqual(told(), ['catalog', true]);
  failure = new Error('connection refused');
  await table.until(() => ingestion.progress().lastError?.message === 'connection refused');
  assert.deepEqual(told(), ['catalog', false]);
  failure = undefined;
  await table.until(() => table.hasAll());
  assert.equal(ingestion.progress().isFailing, false);
  await stop();
});

test('records that cannot be read now are read later, and failures are reported', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  table.topic.write(0, record(0));
  const made = definition();
  const rows = made.openRows(noDeps);
  let failures = 3;
  const { ingestion, stop } = table.start({
    definition: made,
    rows: {
      async read(records) {
        if (failures-- > 0) throw new Error('the schema registry cannot be reached');
        return await rows.read(records);
      },
    },
  });
  await table.until(() => ingestion.progress().isFailing);
  assert.deepEqual(
    { ...ingestion.progress().lastError, atMs: 0 },
    { message: 'the schema registry cannot be reached', cause: 'records', isDenied: false, atMs: 0 },
  );
  await table.until(() => table.hasAll());
  assert.equal(ingestion.progress().isFailing, false);
  await stop();
});

test('a value that no partition takes fails as a record', async () => {
  const table = new IngestedTable({ topic: new MemoryTopic(1) });
  for (const id of [5, -(2 ** 31), 15]) table.topic.write(0, JSON.stringify({ id }));
  const { ingestion, stop } = table.start({
    definition: definition({
      own: [column('id', 'int')],
      partitionBy: [{ column: 'id', transform: 'truncate[10]' }],
    }),
  });
  await table.until(() => table.hasAll());
  await stop();
  assert.deepEqual(await table.places(), ['0/0', '0/2']);
  assert.equal(ingestion.progress().counts.skipped, 1);
  assert.match(
    table.events.find(({ isError }) => isError)!.message,
    /^convert: truncate\[10\] of -2147483648/,
  );
});

test('tables that share little room for open files close them early, and all go on', async () => {
  const budget = new RowBudget({ bytesMax: 2000, filesMax: 3 });
  const tables = [1, 2].map(() => new IngestedTable({ topic: new MemoryTopic(2, 10) }));
  for (const { topic } of tables)
    for (let at = 0; at < 100; at++) topic.write(at % 2, at % 10 === 9 ? 'bad' : record(at % 5));
  const made = definition({
    commitIntervalMs: 3_600_000,
    deadLetters: { mode: 'keep', retentionMs: undefined },
    partitionBy: [{ column: 'id', transform: 'identity' }],
  });
  const running = tables.map((table) => table.start({ budget, definition: made }));
  for (const [at, table] of tables.entries()) {
    const { ingestion, stop } = running[at]!;
    await table.until(() => {
      const { partitions } = ingestion.progress();
      return partitions.length === 2 && partitions.every(({ readOffset }) => readOffset === 50n);
    });
    await stop();
    assert.deepEqual(await table.places(), table.placesOf(isRow));
    assert.equal((await table.keptPlaces()).length, 10);
  }
  assert.deepEqual([budget.bytes, budget.files], [0, 0]);
});
