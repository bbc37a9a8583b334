import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldListFormats } from '../../testing/field-list-format.ts';
import { fieldListService } from '../../testing/index.ts';
import { MemoryRegistryStore } from '../../testing/memory-registry-store.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';
import { runTask, type SchemaTask } from '../schema-work/schema-task.ts';
import { SchemaWork } from '../schema-work/schema-work.ts';

it('a schema that is sent as it is stored is found without being parsed', async () => {
  let tasks = 0;
  const run = async (task: SchemaTask) => {
    tasks++;
    return runTask(fieldListFormats, task);
  };
  const pool = { run, end: async () => {} } as unknown as SchemaPool;
  const work = () => new SchemaWork({ formats: fieldListFormats, pool, inlineCharsMax: 0 });
  const store = new MemoryRegistryStore();
  await fieldListService({ store, work: work() }).register('s', { schema: 'b?  a?' });
  const cases: [name: string, schema: string, normalize: boolean, tasks: number][] = [
    ['as stored', 'b? a?', false, 0],
    ['written otherwise', ' b?  a? ', false, 1],
    ['as stored, but to be normalized', 'b? a?', true, 1],
  ];
  for (const [name, schema, normalize, expected] of cases) {
    tasks = 0;
    const service = fieldListService({ store, work: work() });
    const answer = await service.lookUpSchema('s', { schema }, { normalize }).catch(() => undefined);
    assert.equal(answer?.version, normalize ? undefined : 1, name);
    assert.equal(tasks > 0 ? 1 : 0, expected, name);
  }
});
