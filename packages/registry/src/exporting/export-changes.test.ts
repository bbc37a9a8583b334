import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seededRandom, silentLog } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';
import fc from 'fast-check';
import { fieldListService, serviceAsDestination } from '../../testing/index.ts';
import { LinkingFailed } from '../copying/linking-failed.ts';
import { RegistryReplica } from '../replica/registry-replica.ts';
import type { RegistryService } from '../service/registry-service.ts';
import type { ExportCounts } from './copy-subjects.ts';
import { exportChanges } from './export-changes.ts';
import { ExportedSubjects } from './exported-subjects.ts';

type Definition = ConstructorParameters<typeof ExportedSubjects>[0];

const intoCopy: Definition = { subjects: [':*:'], contextType: 'CUSTOM', context: '.copy' };

/** A registry over a real leader, another one in memory, and an exporter between them. */
async function worldOf(t: Pick<TestContext, 'after'>, definition: Definition = intoCopy) {
  const cluster = new TestCluster();
  const { clock } = cluster;
  const store = new RegistryReplica({ port: cluster, clock, random: seededRandom(1), log: silentLog });
  const source = fieldListService({ store });
  const target = fieldListService();
  t.after(() => Promise.all([source.end(), target.end()]));
  const destination = serviceAsDestination(target);
  const offsets: number[] = [];
  const world = {
    source,
    target,
    destination,
    offsets,
    definition,
    offset: 0,
    async run(signal = new AbortController().signal): Promise<ExportCounts> {
      destination.requests.clear();
      return exportChanges({
        source: {
          readRegistry: (request) => cluster.readRegistry(request),
          state: async () => {
            await store.refresh();
            return store.state;
          },
        },
        destination,
        subjects: new ExportedSubjects(world.definition),
        offset: world.offset,
        signal,
        onOffset: async (offset) => {
          offsets.push(offset);
          world.offset = offset;
        },
      });
    },
  };
  return world;
}

/** Everything that a registry answers about the schemas of some subjects, without the prefix of a context. */
async function contentOf(service: RegistryService, prefix = ''): Promise<unknown> {
  const schemas = [...(await service.listSchemas({ subjectPrefix: `:*:`, deleted: true }))];
  return schemas
    .map(({ subject, version, id, schema, references, metadata, deleted }) => ({
      subject: subject!.replace(`:${prefix}:`, '').replace(`:${prefix}.`, ':.'),
      version,
      id,
      schema,
      references,
      metadata,
      deleted,
    }))
    .sort((a, b) => (a.subject === b.subject ? a.version! - b.version! : a.subject < b.subject ? -1 : 1))
    .map((row) => JSON.parse(JSON.stringify(row)) as unknown);
}

async function fill(source: RegistryService): Promise<void> {
  await source.register('orders', { schema: 'x' });
  await source.register('orders', { schema: 'x y?' });
  await source.register('users', { schema: 'n', metadata: { properties: { owner: 'me' } } });
  await source.register('old', { schema: 'x z?' });
  await source.register('old', { schema: 'x z? w?' });
  await source.deleteVersion('old', '1');
  await source.register('gone', { schema: 'g' });
  await source.deleteSubject('gone');
  await source.register(':.eu:orders', { schema: 'e' });
  await source.register('a-list', {
    schema: 'l',
    references: [{ name: 'x', subject: 'orders', version: 2 }],
  });
  await source.putConfig('orders', { compatibility: 'NONE', normalize: true });
  await source.putConfig(undefined, { compatibility: 'FULL' });
}

test('everything is copied once, with ids, references, marks and configs', async (t) => {
  const world = await worldOf(t);
  const { source, target, destination } = world;
  await fill(source);
  assert.deepEqual(await world.run(), { subjects: 6, newVersions: 8, deletedVersions: 2 });
  assert.deepEqual(await contentOf(target, '.copy'), await contentOf(source));
  assert.equal((await target.mode(':.copy:')).mode, 'IMPORT');
  assert.equal((await target.config(':.copy:')).compatibilityLevel, 'FULL');
  const expected = { compatibilityLevel: 'NONE', normalize: true };
  assert.deepEqual({ ...(await target.config(':.copy:orders')) }, expected);
  assert.deepEqual(await world.run(), { subjects: 0, newVersions: 0, deletedVersions: 0 });
  assert.equal(destination.requests.size, 0, 'nothing changed');
  world.offset = 0;
  assert.equal((await world.run()).newVersions, 0);
  assert.equal(destination.requests.get('register'), undefined, 'a reset compares');
});

test('changes are copied from the offset, removals too', async (t) => {
  const world = await worldOf(t);
  const { source, target, destination } = world;
  await fill(source);
  await world.run();
  await source.register('users', { schema: 'n m?' });
  await source.deleteVersion('orders', '1');
  assert.equal((await world.run()).newVersions, 1);
  assert.equal(destination.requests.get('versions'), 4, 'two subjects were compared');
  assert.deepEqual(await contentOf(target, '.copy'), await contentOf(source));
  for (const permanent of [false, true]) {
    await source.deleteSubject('a-list', { permanent });
    await source.deleteSubject('orders', { permanent });
    await source.deleteVersion('old', '2', { permanent });
  }
  await source.register('orders', { schema: 'other' });
  await world.run();
  assert.deepEqual(await contentOf(target, '.copy'), await contentOf(source));
  await assert.rejects(target.config(':.copy:orders'), { error: 'subjectHasNoConfig' });
});

test('a subject that only the destination has stays', async (t) => {
  const world = await worldOf(t);
  await world.target.putMode(':.copy:', { mode: 'IMPORT' });
  await world.target.register(':.copy:of-another-exporter', { schema: 'x', id: 77, version: 1 });
  await world.source.register('orders', { schema: 'y' });
  await world.run();
  assert.deepEqual(await world.target.listSubjects(), [':.copy:of-another-exporter', ':.copy:orders']);
});

const places: readonly (readonly [Definition, string[], readonly [string, string][]])[] = [
  [
    { subjects: ['*'], contextType: 'AUTO', context: '.lsrc-abcdef' },
    [':.lsrc-abcdef:s', ':.lsrc-abcdef:t'],
    [[':.lsrc-abcdef:', 'IMPORT']],
  ],
  [
    { subjects: [':*:'], contextType: 'AUTO', context: '.lsrc-abcdef' },
    [':.lsrc-abcdef.a:s', ':.lsrc-abcdef:s', ':.lsrc-abcdef:t'],
    [[':.lsrc-abcdef.a:', 'IMPORT']],
  ],
  [
    { subjects: [':*:'], contextType: 'NONE' },
    [':.a:s', 's', 't'],
    [
      ['s', 'IMPORT'],
      [':.a:s', 'IMPORT'],
    ],
  ],
  [{ subjects: [':.a:*'], contextType: 'DEFAULT' }, ['s'], [['s', 'IMPORT']]],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the API.
    { subjects: ['*'], contextType: 'NONE', subjectRenameFormat: 'dc-${subject}' },
    ['dc-s', 'dc-t'],
    [['dc-s', 'IMPORT']],
  ],
];
for (const [definition, subjects, modes] of places) {
  const { contextType, subjectRenameFormat = '' } = definition;
  test(`${definition.subjects} by ${contextType} ${subjectRenameFormat}`, async (t) => {
    const world = await worldOf(t, definition);
    const { source, target } = world;
    await source.register('s', { schema: 'x' });
    await source.register(':.a:s', { schema: 'y' });
    await source.register('t', { schema: 'z', references: [{ name: 's', subject: 's', version: 1 }] });
    await world.run();
    assert.deepEqual((await target.listSubjects()).sort(), subjects);
    for (const [scope, mode] of modes) assert.equal((await target.mode(scope)).mode, mode);
    if (contextType === 'NONE') {
      // Other subjects of the destination are not touched.
      await target.register('own', { schema: 'o' });
      assert.equal((await target.mode(undefined)).mode, 'READWRITE');
      await source.deleteSubject('t');
      await source.deleteSubject('t', { permanent: true });
      await world.run();
      await assert.rejects(target.mode(subjects.at(-1)!), { error: 'subjectHasNoMode' });
    }
  });
}

test('refusals of the destination are one line that names the version', async (t) => {
  const world = await worldOf(t, { subjects: ['*'], contextType: 'NONE' });
  await world.source.register('orders', { schema: 'x' });
  await world.target.register('orders', { schema: 'own' });
  await assert.rejects(world.run(), (error) => {
    assert.ok(error instanceof LinkingFailed);
    assert.match(
      error.message,
      /^the mode IMPORT of "orders" was refused: the destination: .+ \(error 42205\)$/,
    );
    return true;
  });
  world.definition = { ...world.definition, subjectRenameFormat: 'dc-orders' };
  await assert.rejects(world.run(), /^LinkingFailed: version 1 of "orders" was refused: .+ \(error 42205\)$/);
  assert.deepEqual(world.offsets, [], 'nothing is skipped');
});

test('a subject that is marked as deleted at the destination is written anew', async (t) => {
  const world = await worldOf(t, { subjects: ['*'], contextType: 'NONE' });
  await world.source.register('orders', { schema: 'x' });
  await world.target.register('orders', { schema: 'own' });
  await world.target.deleteSubject('orders');
  await world.run();
  assert.deepEqual(await contentOf(world.target), await contentOf(world.source));
});

test('a schema that refers to what is not exported is refused by name', async (t) => {
  const world = await worldOf(t, { subjects: ['list'], contextType: 'CUSTOM', context: '.copy' });
  await world.source.register('orders', { schema: 'x' });
  await world.source.register('list', {
    schema: '@o',
    references: [{ name: 'o', subject: 'orders', version: 1 }],
  });
  await assert.rejects(world.run(), /version 1 of "list" was refused: .*orders/);
});

type Step =
  | { readonly kind: 'register'; readonly subject: string; readonly fields: number; readonly refers: boolean }
  | { readonly kind: 'delete'; readonly subject: string; readonly permanent: boolean }
  | {
      readonly kind: 'deleteVersion';
      readonly subject: string;
      readonly version: number;
      readonly permanent: boolean;
    }
  | { readonly kind: 'config'; readonly subject: string; readonly level: string | undefined }
  | { readonly kind: 'export'; readonly stopAfter: number };

const subject = fc.constantFrom('a', 'b', 'c', ':.eu:a', 'not-exported');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('register' as const),
    subject,
    fields: fc.nat(7),
    refers: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('delete' as const), subject, permanent: fc.boolean() }),
  fc.record({
    kind: fc.constant('deleteVersion' as const),
    subject,
    version: fc.integer({ min: 1, max: 3 }),
    permanent: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('config' as const),
    subject,
    level: fc.constantFrom('NONE', 'FULL', undefined),
  }),
  fc.record({ kind: fc.constant('export' as const), stopAfter: fc.nat(12) }),
);

async function take(world: Awaited<ReturnType<typeof worldOf>>, given: Step): Promise<void> {
  const { source, destination } = world;
  const references = [{ name: 'r', subject: 'a', version: 1 }];
  switch (given.kind) {
    case 'register': {
      const fields = ['x?', 'y?', 'z?'].filter((_, at) => (given.fields >> at) & 1).join(' ');
      const isReferring = given.refers && given.subject !== 'a' && !given.subject.startsWith(':');
      const body = { schema: `${fields}${isReferring ? ' @r' : ''}`, ...(isReferring ? { references } : {}) };
      await source.register(given.subject, body);
      return;
    }
    case 'delete':
      await source.deleteSubject(given.subject, { permanent: given.permanent });
      return;
    case 'deleteVersion':
      await source.deleteVersion(given.subject, String(given.version), { permanent: given.permanent });
      return;
    case 'config':
      if (given.level === undefined) await source.deleteConfig(given.subject);
      else await source.putConfig(given.subject, { compatibility: given.level });
      return;
    case 'export': {
      const stop = new AbortController();
      let count = 0;
      destination.before = () => {
        if (++count > given.stopAfter) stop.abort(new Error('stopped'));
      };
      await world.run(stop.signal).catch((error: Error) => {
        if (error.message !== 'stopped') throw error;
      });
      destination.before = () => {};
      return;
    }
  }
}

test('whatever happens at the source and wherever a job stops, the destination becomes equal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const ends: (() => unknown)[] = [];
      const world = await worldOf(
        { after: (end) => ends.push(end as () => unknown) },
        { ...intoCopy, subjects: ['a*', 'b', 'c', ':.eu:'] },
      );
      for (const given of steps)
        await take(world, given).catch((error: { name?: string }) => {
          // The source refuses some.
          if (error.name !== 'RegistryError') throw error;
        });
      await world.run();
      const here = (await contentOf(world.source)) as { subject: string }[];
      const exported = here.filter((row) => row.subject !== 'not-exported');
      assert.deepEqual(await contentOf(world.target, '.copy'), exported);
      for (const end of ends) await end();
    }),
    { numRuns: 25 },
  );
});
