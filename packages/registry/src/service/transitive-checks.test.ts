import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldListFormats } from '../../testing/field-list-format.ts';
import { fieldListService } from '../../testing/index.ts';
import { MemoryRegistryStore } from '../../testing/memory-registry-store.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';
import { runTask, type SchemaTask } from '../schema-work/schema-task.ts';
import { SchemaWork } from '../schema-work/schema-work.ts';

it('a check with many versions reads each of them a few times, however often it waits for work', async () => {
  const versions = 100;
  const store = new MemoryRegistryStore();
  const run = async (task: SchemaTask) => runTask(fieldListFormats, task);
  const pool = { run, end: async () => {} } as unknown as SchemaPool;
  const work = new SchemaWork({ formats: fieldListFormats, pool, inlineCharsMax: 0 });
  const service = fieldListService({ store, work });
  await service.putConfig('s', { compatibility: 'NONE' });
  for (let version = 1; version <= versions; version++)
    await service.register('s', { schema: `f${version}?` });
  await service.putConfig('s', { compatibility: 'FULL_TRANSITIVE' });
  const { state } = store;
  const read = state.schema.bind(state);
  let reads = 0;
  state.schema = (row) => {
    reads++;
    return read(row);
  };
  const { is_compatible } = await service.checkCompatibility('s', undefined, { schema: 'new?' });
  assert.equal(is_compatible, true);
  assert.ok(reads <= 10 * versions, `${reads} reads`);
});
