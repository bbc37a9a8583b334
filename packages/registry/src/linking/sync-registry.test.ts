import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fieldListService, MemoryRegistryStore, serviceAsSource } from '../../testing/index.ts';
import { LinkedContexts, type LinkingContextType } from '../copying/linked-contexts.ts';
import { LinkingFailed } from '../copying/linking-failed.ts';
import type { RegistryService } from '../service/registry-service.ts';
import { type LinkDestination, type SyncCounts, syncRegistry } from './sync-registry.ts';

interface World {
  readonly source: RegistryService;
  readonly reads: ReturnType<typeof serviceAsSource>;
  readonly destination: LinkDestination & { readonly service: RegistryService };
  sync(contextType?: LinkingContextType, context?: string, signal?: AbortSignal): Promise<SyncCounts>;
}

function worldOf(t: TestContext): World {
  const source = fieldListService();
  const store = new MemoryRegistryStore();
  const service = fieldListService({ store });
  t.after(() => Promise.all([source.end(), service.end()]));
  const reads = serviceAsSource(source);
  const destination = { service, state: async () => store.state };
  return {
    source,
    reads,
    destination,
    sync: (contextType = 'DEFAULT', context = undefined, signal = new AbortController().signal) =>
      syncRegistry({
        source: reads,
        destination,
        contexts: new LinkedContexts({ contextType, context, sourceName: 'there:8081' }),
        signal,
      }),
  };
}

/** Everything that a registry answers about its schemas. */
async function contentOf(service: RegistryService): Promise<unknown> {
  const schemas = [...(await service.listSchemas({ deleted: true }))];
  return schemas.map(({ subject, version, id, guid, schema, references, metadata, deleted }) =>
    JSON.parse(JSON.stringify({ subject, version, id, guid, schema, references, metadata, deleted })),
  );
}

async function modeOf(service: RegistryService, scope?: string): Promise<string> {
  return service.mode(scope).then(
    ({ mode }) => mode,
    () => 'none',
  );
}

async function fill({ source }: World): Promise<void> {
  await source.register('orders', { schema: 'x' });
  await source.register('orders', { schema: 'x y?' });
  await source.register('users', { schema: 'n', metadata: { properties: { owner: 'me' } } });
  await source.register('old', { schema: 'x' });
  await source.register('old', { schema: 'x z?' });
  await source.deleteVersion('old', '1');
  await source.register('gone', { schema: 'g' });
  await source.deleteSubject('gone');
  await source.register('list', {
    schema: 'l',
    references: [{ name: 'x', subject: 'orders', version: 2 }],
  });
}

test('subjects, versions, ids, marks, configs and modes are those of the source', async (t) => {
  const world = worldOf(t);
  await fill(world);
  await world.source.putConfig(undefined, { compatibility: 'FULL' });
  await world.source.putConfig('orders', { compatibility: 'NONE', normalize: true });
  await world.source.putMode('users', { mode: 'READONLY' });
  const counts = await world.sync();
  assert.deepEqual(counts, { subjects: 5, sourceVersions: 7, newVersions: 7, deletedVersions: 2 });
  const { service } = world.destination;
  assert.deepEqual(await contentOf(service), await contentOf(world.source));
  assert.equal((await service.config(undefined)).compatibilityLevel, 'FULL');
  assert.deepEqual({ ...(await service.config('orders')) }, { compatibilityLevel: 'NONE', normalize: true });
  assert.deepEqual(
    [await modeOf(service), await modeOf(service, 'users'), await modeOf(service, 'orders')],
    ['IMPORT', 'READONLY', 'none'],
  );
});

test('a second sync reads and writes only what is new', async (t) => {
  const world = worldOf(t);
  await fill(world);
  await world.source.putMode('users', { mode: 'READONLY' });
  await world.sync();
  const { reads, source } = world;
  reads.schemaReads = 0;
  const before = await world.destination.state();
  const { revision } = before;
  assert.deepEqual(await world.sync(), {
    subjects: 5,
    sourceVersions: 7,
    newVersions: 0,
    deletedVersions: 0,
  });
  assert.equal((await world.destination.state()).revision, revision, 'nothing was written');
  assert.equal(reads.schemaReads, 5, 'one per subject, to see that it is still the same');
  await source.putMode('users', { mode: 'READWRITE' });
  await source.register('users', { schema: 'n m?' });
  await source.putMode('users', { mode: 'READONLY' });
  await source.putConfig('orders', { compatibility: 'NONE' });
  assert.equal((await world.sync()).newVersions, 1);
  await source.deleteConfig('orders');
  await source.deleteMode('users');
  await world.sync();
  const { service } = world.destination;
  assert.deepEqual(await contentOf(service), await contentOf(source));
  assert.equal(await modeOf(service, 'users'), 'none');
  await assert.rejects(service.config('orders'), { error: 'subjectHasNoConfig' });
});

test('what the source removed is removed, and a subject of the same name is another', async (t) => {
  const world = worldOf(t);
  await fill(world);
  await world.sync();
  const { source } = world;
  for (const permanent of [false, true]) {
    await source.deleteSubject('list', { permanent });
    await source.deleteSubject('orders', { permanent });
    await source.deleteVersion('old', '2', { permanent });
  }
  await source.deleteSubject('users');
  await source.register('orders', { schema: 'other' });
  await source.register('orders', { schema: 'other y?' });
  await world.sync();
  assert.deepEqual(await contentOf(world.destination.service), await contentOf(source));
  assert.equal(((await contentOf(source)) as unknown[]).length, 5);
});

test('a sync that was interrupted is continued by the next', async (t) => {
  const world = worldOf(t);
  await fill(world);
  const { service } = world.destination;
  const register = service.register.bind(service);
  const stop = new AbortController();
  let written = 0;
  service.register = (...args) => {
    if (++written === 3) stop.abort(new Error('the agent stops'));
    return register(...args);
  };
  await assert.rejects(world.sync('DEFAULT', undefined, stop.signal), /the agent stops/);
  assert.equal(written, 3);
  world.reads.schemaReads = 0;
  assert.equal((await world.sync()).newVersions, 4);
  assert.equal(written, 7);
  assert.deepEqual(await contentOf(service), await contentOf(world.source));
});

test('an id that another schema has is refused before anything is written', async (t) => {
  const world = worldOf(t);
  await fill(world);
  const { service } = world.destination;
  await service.putMode(undefined, { mode: 'IMPORT' });
  await service.register('own', { schema: 'mine', id: 2, version: 1 });
  const before = await contentOf(service);
  await assert.rejects(
    world.sync(),
    new LinkingFailed(
      'the source has an id that "own" has in the destination: use another context_type, or delete that subject',
      'id 2 of version 2 of orders',
    ),
  );
  assert.deepEqual(await contentOf(service), before);
});

test('a context with subjects of its own is refused, and another one is not', async (t) => {
  const world = worldOf(t);
  await fill(world);
  const { service } = world.destination;
  await service.register('own', { schema: 'mine' });
  const before = await contentOf(service);
  await assert.rejects(
    world.sync(),
    /the context "\." of the destination is not in mode IMPORT and has subjects, such as "own"/,
  );
  assert.deepEqual(await contentOf(service), before);
  await world.sync('CUSTOM', 'copy');
  const { versions } = { versions: await service.listVersions(':.copy:orders') };
  assert.deepEqual(versions, [1, 2]);
  assert.deepEqual(await service.listVersions('own'), [1]);
  assert.equal(await modeOf(service, ':.copy:'), 'IMPORT');
  assert.equal((await service.register('own', { schema: 'mine y?' })).id, 2, 'its own ids go on');
});

const places: readonly [LinkingContextType, string | undefined, string[]][] = [
  ['NONE', undefined, [':.a:s', 's']],
  ['CUSTOM', '.copy', [':.copy.a:s', ':.copy:s']],
  ['AUTO', undefined, [':.lsrc-tpdpaj.a:s', ':.lsrc-tpdpaj:s']],
];
for (const [contextType, context, subjects] of places) {
  test(`context_type ${contextType} keeps contexts apart`, async (t) => {
    const world = worldOf(t);
    await world.source.register('s', { schema: 'x' });
    await world.source.register(':.a:s', { schema: 'y' });
    await world.source.register(':.a:t', {
      schema: 'z',
      references: [{ name: 'y', subject: 's', version: 1 }],
    });
    await world.source.deleteSubject(':.a:t');
    await world.sync(contextType, context);
    const { service } = world.destination;
    assert.deepEqual((await service.listSubjects()).sort(), subjects);
    await world.source.deleteSubject(':.a:t', { permanent: true });
    await world.source.deleteSubject(':.a:s');
    await world.source.deleteSubject(':.a:s', { permanent: true });
    await world.sync(contextType, context);
    assert.deepEqual((await service.listSubjects({ deleted: true })).sort(), subjects.slice(1));
  });
}

test('subjects of several contexts cannot become one', async (t) => {
  const world = worldOf(t);
  await world.source.register('s', { schema: 'x' });
  await world.source.register(':.a:s', { schema: 'y' });
  await assert.rejects(world.sync(), /two subjects of the source would be one/);
  assert.deepEqual(await contentOf(world.destination.service), []);
});

test('a source without subjects empties no destination', async (t) => {
  const world = worldOf(t);
  await fill(world);
  await world.sync();
  const before = await contentOf(world.destination.service);
  const empty = serviceAsSource(fieldListService());
  const { destination } = world;
  const contexts = new LinkedContexts({ contextType: 'DEFAULT', sourceName: '' });
  const { signal } = new AbortController();
  await assert.rejects(
    syncRegistry({ source: empty, destination, contexts, signal }),
    /the source has no subjects, and the destination has 5: check the address/,
  );
  assert.deepEqual(await contentOf(destination.service), before);
});

test('schemas may refer to a version that was marked as deleted before', async (t) => {
  const world = worldOf(t);
  await world.source.putConfig(undefined, { validateNewSchemas: false });
  await world.source.register('base', { schema: 'x' });
  await world.sync();
  await world.source.deleteVersion('base', '1');
  await world.source.register('other', { schema: 'z' });
  await world.source.deleteVersion('other', '1');
  for (const subject of ['base', 'other'])
    await world.source.register(`to-${subject}`, {
      schema: 'y',
      references: [{ name: 'r', subject, version: 1 }],
    });
  await world.sync();
  assert.deepEqual(await contentOf(world.destination.service), await contentOf(world.source));
});

test('references to other subjects are written first, whatever the order of names', async (t) => {
  const world = worldOf(t);
  const refers = (subject: string) => [{ name: subject, subject, version: 1 }];
  await world.source.register('z', { schema: 'x' });
  await world.source.register('m', { schema: 'y', references: refers('z') });
  await world.source.register('a', { schema: 'z', references: refers('m') });
  await world.sync('CUSTOM', '.c');
  assert.deepEqual(await world.destination.service.listSubjects(), [':.c:a', ':.c:m', ':.c:z']);
});
