import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { answerOrCode, fieldListService, MemoryRegistry, MemoryRegistryStore } from '../../testing/index.ts';
import { RegistryState } from '../state/registry-state.ts';
import type { RegistryService } from './registry-service.ts';

const subjects = ['a', 'b', ':.c:a', ':.c:b'];
const texts = ['x', 'x y?', 'x z?', 'x y? z?', '@r'];

/** A request of one of two agents. */
type Operation = (service: RegistryService) => Promise<unknown>;

const subject = fc.constantFrom(...subjects);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        name: subject,
        text: fc.constantFrom(...texts),
        referred: fc.constantFrom('a', 'b'),
        version: fc.integer({ min: 1, max: 3 }),
      })
      .map(({ name, text, referred, version }): Operation => {
        const references = text === '@r' ? [{ name: 'r', subject: referred, version }] : [];
        return (service) => service.register(name, { schema: text, references }, { force: true });
      }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ name: subject, permanent: fc.boolean() }).map(
      ({ name, permanent }): Operation =>
        (service) =>
          service.deleteSubject(name, { permanent }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ name: subject, version: fc.constantFrom('1', '2', '3', 'latest'), permanent: fc.boolean() })
      .map(
        ({ name, version, permanent }): Operation =>
          (service) =>
            service.deleteVersion(name, version, { permanent }),
      ),
  },
);

/** What every agent sees: the registry by its API. */
async function pictureOf(service: RegistryService): Promise<unknown> {
  return {
    schemas: await service.listSchemas({ subjectPrefix: ':*:', deleted: true }),
    contexts: await service.listContexts(),
  };
}

/** Replays all entries in another order than they were written. */
function replayed(registry: MemoryRegistry): MemoryRegistryStore {
  const copy = new MemoryRegistry();
  const entries = [...registry.entries].reverse();
  if (entries.length > 0)
    copy.commit(
      0,
      entries.map(([key, value]) => ({ key, value })),
    );
  return new MemoryRegistryStore(copy);
}

function checkInvariants(state: RegistryState, textsById: Map<string, string>): void {
  for (const name of state.subjects()) {
    const versions = state.versions(name);
    assert.ok(versions.length > 0, 'a subject has a version');
    versions.forEach(({ version }, index) => {
      assert.ok(index === 0 || version > versions[index - 1]!.version, 'versions are in order');
    });
    for (const version of versions) {
      const row = state.rowOfVersion(version);
      const { text, references } = state.schema(row);
      assert.ok(row.uses.includes(version), 'a schema knows its versions');
      assert.ok(row.id < state.nextId(row.context), 'an id was given out');
      const id = `${row.context} ${row.id}`;
      const identity = JSON.stringify([text, references]);
      assert.equal(textsById.get(id) ?? identity, identity, 'the schema of an id never changes');
      textsById.set(id, identity);
      for (const reference of references ?? []) {
        const target = row.context === '.' ? reference.subject : `:${row.context}:${reference.subject}`;
        assert.ok(state.version(target, reference.version), 'what is referred to exists');
      }
    }
  }
}

it('random requests of two agents keep the invariants, and entries say all', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ agent: fc.constantFrom(0, 1), operation }), { maxLength: 40 }),
      async (steps) => {
        const registry = new MemoryRegistry();
        const stores = [new MemoryRegistryStore(registry), new MemoryRegistryStore(registry)];
        const services = stores.map((store) => fieldListService({ store }));
        const textsById = new Map<string, string>();
        for (const step of steps) {
          const code = await answerOrCode(step.operation(services[step.agent]!));
          assert.notEqual(code, 50001);
          checkInvariants(stores[step.agent]!.state, textsById);
        }
        await Promise.all(stores.map((store) => store.refresh()));
        const pictures = await Promise.all([
          ...services.map(pictureOf),
          pictureOf(fieldListService({ store: replayed(registry) })),
        ]);
        assert.deepEqual(pictures[1], pictures[0]);
        assert.deepEqual(pictures[2], pictures[0]);
      },
    ),
    { numRuns: 60 },
  );
});

it('ids are dense and versions count on, whichever writer is first', async () => {
  const registry = new MemoryRegistry();
  const stores = [0, 1, 2].map(() => new MemoryRegistryStore(registry));
  const services = stores.map((store) => fieldListService({ store }));
  for (const store of stores) store.beforeCommit = () => Promise.resolve();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      services[index % 3]!.register('s', { schema: `x f${index}?` }, { force: true }),
    ),
  );
  const numbers = Array.from({ length: 30 }, (_, index) => index + 1);
  assert.deepEqual(
    answers.map(({ id }) => id).sort((a, b) => a - b),
    numbers,
  );
  assert.deepEqual(
    answers.map(({ version }) => version!).sort((a, b) => a - b),
    numbers,
  );
  assert.ok(
    stores.some(({ staleDecisions }) => staleDecisions > 0),
    'some writers came second',
  );
});

it('changes can be taken back', async () => {
  const store = new MemoryRegistryStore();
  const service = fieldListService({ store });
  await service.register('a', { schema: 'x' });
  await service.putConfig('a', { compatibility: 'NONE' });
  await service.putMode('b', { mode: 'READONLY' });
  const before = await pictureOf(service);
  const earlier = [...store.registry.entries.keys()].map((key) => [key, store.state.valueOf(key)] as const);
  await service.deleteSubject('a');
  await service.deleteSubject('a', { permanent: true });
  for (const [key, value] of earlier) store.state.apply(key, value);
  assert.deepEqual(await pictureOf(service), before);
  assert.deepEqual(await service.config('a'), { compatibilityLevel: 'NONE' });
  assert.deepEqual(await service.mode('b'), { mode: 'READONLY' });
});

it('what is not found is looked for again in the newest state', async () => {
  const registry = new MemoryRegistry();
  const [first, second] = [new MemoryRegistryStore(registry), new MemoryRegistryStore(registry)];
  await fieldListService({ store: first }).register('a', { schema: 'x' });
  const { schema } = await fieldListService({ store: second }).version('a', 'latest');
  assert.equal(schema, 'x');
  assert.equal(second.refreshes, 1);
});

it('entries of a later release are passed over', () => {
  const state = new RegistryState();
  state.apply('later/a', Buffer.from('?'));
  assert.equal(state.valueOf('later/a'), null);
});
