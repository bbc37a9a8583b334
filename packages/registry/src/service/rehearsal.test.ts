import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import fc from 'fast-check';
import { MemoryRegistry, MemoryRegistryStore } from '../../testing/memory-registry-store.ts';
import { IncompatibleSchema, RegistryError } from '../registry-error.ts';
import type { SchemaSource, SchemaType } from '../schema-format.ts';
import { loadSchemaFormats } from '../schema-formats.ts';
import type { SchemaPool } from '../schema-work/schema-pool.ts';
import { runTask, type SchemaTask } from '../schema-work/schema-task.ts';
import { SchemaWork } from '../schema-work/schema-work.ts';
import { RegistryService } from './registry-service.ts';
import type { RehearsedChange } from './rehearsal.ts';

const formats = await loadSchemaFormats();

/** A registry of which all work is done elsewhere, after `gate`, so that decisions begin anew. */
function open(gate: () => Promise<void> = async () => {}) {
  const registry = new MemoryRegistry();
  const parse = (type: SchemaType, source: SchemaSource) => formats[type].parse(source);
  const pool = {
    async run(task: SchemaTask) {
      await gate();
      return runTask(formats, task, parse);
    },
    async end() {},
  } as Pick<SchemaPool, 'run' | 'end'> as SchemaPool;
  const serviceOf = (store: MemoryRegistryStore) =>
    new RegistryService({
      store,
      work: new SchemaWork({ formats, pool, inlineCharsMax: 0 }),
      formats,
      clock: systemClock,
      clusterId: 'vci_sr_test',
      release: 'test',
    });
  const store = new MemoryRegistryStore(registry);
  return { registry, store, service: serviceOf(store), serviceOf };
}

const record = (name: string, ...fields: readonly object[]) =>
  JSON.stringify({ type: 'record', name, fields });
const id = { name: 'id', type: 'long' };
const paid = { name: 'paid', type: 'boolean' };

const registration = (subject: string, schema: string, references: readonly object[] = []) =>
  ({ kind: 'register', subject, body: { schema, references } }) as const satisfies RehearsedChange;

test('each change is decided as if those before it were made, and none is made', async () => {
  const { registry, store, service } = open();
  await service.register('orders', { schema: record('Order', id) });
  const { revision } = registry;
  const before = [...(await service.listSchemas())];
  const outcomes = await service.rehearse([
    registration('orders', record('Order', id)),
    registration('orders', record('Order', id, paid)),
    { kind: 'config', scope: 'orders', body: { compatibility: 'NONE' } },
    registration('orders', record('Order', id, paid)),
    registration('carts', record('Cart', { name: 'order', type: 'Order' }), [
      { name: 'Order', subject: 'orders', version: 2 },
    ]),
    { kind: 'delete', subject: 'orders' },
    { kind: 'delete', subject: 'carts' },
    { kind: 'delete', subject: 'orders' },
    { kind: 'mode', scope: undefined, body: { mode: 'READONLY' }, force: false },
    registration('late', '"int"'),
    { kind: 'config', scope: ':.eu:', body: { compatibility: 'SOMETIMES' } },
  ]);
  assert.deepEqual(
    outcomes.map(({ isChange, refusal, version, level }) => [isChange, refusal?.error, version, level]),
    [
      [false, undefined, 1, 'BACKWARD'],
      [false, 'incompatible', undefined, 'BACKWARD'],
      [true, undefined, undefined, 'BACKWARD'],
      [true, undefined, 2, 'NONE'],
      [true, undefined, 1, 'BACKWARD'],
      [false, 'referenceExists', undefined, 'NONE'],
      [true, undefined, undefined, 'BACKWARD'],
      [true, undefined, undefined, 'NONE'],
      [true, undefined, undefined, 'BACKWARD'],
      [false, 'operationNotPermitted', undefined, 'BACKWARD'],
      [false, 'invalidCompatibilityLevel', undefined, 'BACKWARD'],
    ],
  );
  assert.ok(outcomes[1]?.refusal instanceof IncompatibleSchema);
  assert.equal(outcomes[1]?.compared?.version, 1);
  assert.equal(registry.revision, revision);
  assert.equal(store.state.revision, revision);
  assert.deepEqual([...(await service.listSchemas())], before);
  assert.deepEqual(await service.listSubjects(), ['orders']);
  assert.deepEqual(await service.mode(undefined), { mode: 'READWRITE' });
});

test('a rehearsal begins anew when another writer changes the registry', async () => {
  let gate = Promise.resolve();
  const { registry, store, service, serviceOf } = open(() => gate);
  const other = serviceOf(new MemoryRegistryStore(registry));
  await service.register('orders', { schema: record('Order', id) });
  let letGo = () => {};
  const opened = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  gate = opened;
  const rehearsed = service.rehearse([registration('orders', record('Order'))]);
  gate = Promise.resolve();
  await other.register('orders', { schema: record('Order', id, { ...paid, default: false }) });
  await store.refresh();
  letGo();
  assert.deepEqual(
    (await rehearsed).map(({ version, compared }) => [version, compared?.version]),
    [[3, 2]],
  );
});

test('settings that are as asked for are no change', async () => {
  const { service } = open();
  await service.putConfig('orders', { compatibility: 'FULL', normalize: true });
  await service.putMode('orders', { mode: 'READWRITE' });
  const changes: readonly [change: RehearsedChange, isChange: boolean][] = [
    [{ kind: 'config', scope: 'orders', body: { compatibility: 'full' } }, false],
    [{ kind: 'config', scope: 'orders', body: { normalize: true, compatibility: 'FULL' } }, false],
    [{ kind: 'config', scope: 'orders', body: { compatibility: null } }, true],
    [{ kind: 'config', scope: 'other', body: { compatibility: null } }, false],
    [{ kind: 'config', scope: 'other', body: { compatibility: 'BACKWARD' } }, true],
    [{ kind: 'mode', scope: 'orders', body: { mode: 'READWRITE' }, force: false }, false],
    [{ kind: 'mode', scope: 'other', body: { mode: null }, force: false }, false],
    [{ kind: 'mode', scope: 'orders', body: { mode: null }, force: false }, true],
  ];
  const outcomes = await service.rehearse(changes.map(([change]) => change));
  assert.deepEqual(
    outcomes.map(({ isChange }) => isChange),
    changes.map(([, isChange]) => isChange),
  );
  assert.deepEqual(outcomes[0]?.ownConfig, { compatibilityLevel: 'FULL', normalize: true });
});

const subjects = fc.constantFrom('a', 'b', ':.eu:a');
const anyChange: fc.Arbitrary<RehearsedChange> = fc.oneof(
  fc
    .tuple(subjects, fc.subarray([id, paid, { name: 'note', type: 'string', default: '' }]))
    .map(([subject, fields]) => registration(subject, record('Order', ...fields))),
  fc
    .tuple(subjects, fc.integer({ min: 1, max: 2 }))
    .map(([subject, version]) =>
      registration(subject, record('Cart', { name: 'order', type: 'Order' }), [
        { name: 'Order', subject: 'a', version },
      ]),
    ),
  subjects.map((subject) => ({ kind: 'delete', subject }) as const),
  fc
    .tuple(fc.option(subjects, { nil: undefined }), fc.constantFrom('NONE', 'FULL', null))
    .map(([scope, compatibility]) => ({ kind: 'config', scope, body: { compatibility } }) as const),
  fc
    .tuple(fc.option(subjects, { nil: undefined }), fc.constantFrom('READWRITE', 'READONLY', 'IMPORT', null))
    .map(([scope, mode]) => ({ kind: 'mode', scope, body: { mode }, force: false }) as const),
);

test('any changes have the outcomes that a rehearsal predicts', async () => {
  const outcomeOf = async (service: RegistryService, change: RehearsedChange) => {
    try {
      if (change.kind === 'register') return (await service.register(change.subject, change.body)).version;
      if (change.kind === 'delete') await service.deleteSubject(change.subject);
      if (change.kind === 'config') await service.putConfig(change.scope, change.body);
      if (change.kind === 'mode') await service.putMode(change.scope, change.body);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof RegistryError);
      return error.message;
    }
  };
  const lists = fc.array(anyChange, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lists, lists, async (first, second) => {
      const { service, store } = open();
      for (const change of first) await outcomeOf(service, change);
      const { revision } = store.state;
      const rehearsed = await service.rehearse(second);
      assert.equal(store.state.revision, revision);
      for (const [index, change] of second.entries()) {
        const { refusal, version } = rehearsed[index]!;
        assert.equal(await outcomeOf(service, change), refusal?.message ?? version);
      }
    }),
    { numRuns: 40 },
  );
});
