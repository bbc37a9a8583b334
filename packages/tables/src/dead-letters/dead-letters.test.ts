import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aroundStore, StoreError } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { definition, IngestedTable, noDeps } from '../../testing/ingested-table.ts';
import { MemoryTopic } from '../../testing/memory-source.ts';
import { keptTableName } from './kept-records.ts';
import { RecordKeeper } from './record-keeper.ts';
import { replayKept } from './replay-kept.ts';

const keeping = definition({ deadLetters: { mode: 'keep', retentionMs: undefined } });

/** Later `bad 1` is a record of another form, and `bad x` still fails. */
const corrected = () => {
  const { read } = keeping.openRows(noDeps);
  return {
    ...keeping,
    openRows: () => ({
      read: (records: Parameters<typeof read>[0]) =>
        read(
          records.map((record) => {
            const number = /^bad (\d+)$/.exec(Buffer.from(record.value ?? []).toString())?.[1];
            return number === undefined
              ? record
              : { ...record, value: Buffer.from(JSON.stringify({ id: Number(number) })) };
          }),
        ),
    }),
  };
};

async function tableWithKept(rounds = 2): Promise<IngestedTable> {
  const table = new IngestedTable({ topic: new MemoryTopic(2, 4) });
  const { stop } = table.start({ definition: keeping });
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < 6; at++)
      table.topic.write(at % 2, at % 3 === 0 ? '{"id":1}' : at === 5 ? 'bad x' : `bad ${10 * round + at}`);
    await table.until(() => table.hasAll());
  }
  await stop();
  return table;
}

/** Another bucket with the same objects. */
async function copyOf({ store, topic }: IngestedTable): Promise<IngestedTable> {
  const copy = emptyMemoryStore();
  for await (const page of store.list(''))
    for (const { key, bytes } of page) await copy.put(key, [await store.getRange(key, 0, bytes)]);
  return new IngestedTable({ topic, store: copy, seed: 100 });
}

const isFine = (text: string | undefined) => text !== 'bad x';

function replay(table: IngestedTable, made = corrected(), store = table.store) {
  const { definition: _, ...options } = table.options({ definition: made }, store);
  const ended = replayKept({ ...options, definition: made, signal: new AbortController().signal });
  ended.catch(() => {});
  return ended;
}

test('kept records become rows by another definition; those that fail again stay, with the new error', async () => {
  const table = await tableWithKept();
  assert.deepEqual(await table.places(), ['0/0', '0/3', '1/1', '1/4']);
  const done = replay(table);
  await table.settled(done);
  assert.deepEqual(await done, { replayed: 6, failed: 2, waiting: 0 });
  assert.deepEqual(await table.places(), table.placesOf(isFine));
  assert.deepEqual(await table.keptPlaces(), ['1/2', '1/5']);
  const again = replay(table);
  await table.settled(again);
  assert.deepEqual(await again, { replayed: 0, failed: 2, waiting: 0 });
  // Ingestion goes on where it was.
  table.topic.write(0, '{"id":9}');
  const { stop } = table.start({ definition: keeping });
  await table.until(() => table.hasAll());
  await stop();
  assert.deepEqual(await table.places(), table.placesOf(isFine));
});

test('a replay says how many records are left, and how old the oldest is', async () => {
  const table = await tableWithKept();
  const { definition: _, ...options } = table.options({ definition: corrected() });
  const left: { records: number; oldestMs: number | undefined }[] = [];
  const done = replayKept({
    ...options,
    definition: corrected(),
    signal: new AbortController().signal,
    onLeft: (now) => void left.push(now),
  });
  await table.settled(done);
  const times = [0, 1].flatMap((partition) =>
    table.topic.log(partition).records.map(({ timestampMs }) => timestampMs),
  );
  assert.equal(left[0]!.records, 8);
  assert.ok(times.includes(left[0]!.oldestMs!), String(left[0]!.oldestMs));
  assert.deepEqual(left.at(-1), { records: 0, oldestMs: undefined });
});

test('ingestion shows what a replay changed, when it hears of it', async () => {
  const table = await tableWithKept();
  const { ingestion, stop } = table.start({ definition: keeping });
  const shown = () => {
    const { table: status, keptRecords } = ingestion.progress();
    return [status?.rowCount, keptRecords];
  };
  await table.until(() => shown()[0] !== undefined);
  assert.deepEqual(shown(), [4, 8]);
  const done = replay(table);
  await table.settled(done);
  assert.deepEqual(shown(), [4, 8]);
  ingestion.refresh();
  await table.until(() => ingestion.progress().keptRecords === 2);
  assert.deepEqual(shown(), [10, 2]);
  // And goes on where it was.
  table.topic.write(0, '{"id":9}');
  await table.until(() => shown()[0] === 11);
  assert.deepEqual(shown(), [11, 2]);
  await stop();
  assert.deepEqual(await table.places(), table.placesOf(isFine));
});

test('a table without kept records has nothing to replay', async () => {
  const table = new IngestedTable();
  const done = replay(table);
  await table.settled(done);
  assert.deepEqual(await done, { replayed: 0, failed: 0, waiting: 0 });
});

test('a replay that ends at any write, done or not, goes on; two at once replay nothing twice', async () => {
  const original = await tableWithKept(1);
  for (const isDone of [false, true])
    for (let endsAt = 0, hasEnded = true; hasEnded; endsAt++) {
      const table = await copyOf(original);
      hasEnded = false;
      let count = 0;
      const ending = aroundStore(table.store, async ({ operation, key, run, signal }) => {
        const isLast = operation.startsWith('put') && count++ === endsAt;
        if (isLast) hasEnded = true;
        if (!hasEnded || (isLast && isDone)) {
          const result = await run(signal);
          if (!isLast) return result;
        }
        throw new StoreError('unavailable', key, 'the process has ended');
      });
      await table.settled(replay(table, corrected(), ending).catch(() => undefined));
      const both = [replay(table), replay(table)];
      for (const one of both) await table.settled(one);
      assert.deepEqual(await table.places(), table.placesOf(isFine), `${isDone} ${endsAt}`);
      assert.deepEqual(await table.keptPlaces(), ['1/2']);
    }
});

test('records that ingestion has not passed wait', async () => {
  const table = await tableWithKept();
  const keeper = await RecordKeeper.open({ ...table.options({ definition: keeping }), topic: 'orders' });
  const record = { ...table.topic.log(0).records[1]!, offset: 100n };
  await keeper.keep([{ record, failure: { at: 0, step: 'decode', message: 'no' } }]);
  await keeper.commit(new Map([[0, 101n]]));
  await keeper.abandon();
  const done = replay(table);
  await table.settled(done);
  assert.deepEqual(await done, { replayed: 6, failed: 2, waiting: 1 });
  assert.deepEqual(await table.keptPlaces(), ['0/100', '1/2', '1/5']);
});

test('only the writer that was opened last may keep records', async () => {
  const table = await tableWithKept();
  const open = () => RecordKeeper.open({ ...table.options({ definition: keeping }), topic: 'orders' });
  const [record] = table.topic.log(0).records;
  const failed = [{ record: record!, failure: { at: 0, step: 'decode', message: 'no' } as const }];
  const replaced = await open();
  await replaced.keep(failed);
  const last = await open();
  await assert.rejects(replaced.commit(new Map()), { name: 'ChangeRefused' });
  await last.keep(failed);
  await last.commit(new Map());
  assert.equal(last.total, (await table.rows(keptTableName(table.name))).length);
  for (const keeper of [replaced, last]) await keeper.abandon();
});
