import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RegistryEntryChange, readExporterTask } from '@weir/cluster';
import { TestCluster } from '../../testing/index.ts';
import type { AskMachine } from './ask-machine.ts';
import { exporterPlanner } from './exporter-planner.ts';
import type { ExporterSecrets } from './exporter-secrets.ts';

/** A planner over the registry of a real leader. */
function stage(secrets?: ExporterSecrets) {
  const cluster = new TestCluster();
  let revision = 0;
  let readCount = 0;
  const ask = (async (question: (machine: unknown) => unknown) =>
    await question({
      readRegistry: (request: Parameters<TestCluster['readRegistry']>[0]) => {
        readCount++;
        return cluster.readRegistry(request);
      },
    })) as unknown as AskMachine;
  const planner = exporterPlanner(ask, secrets);
  return {
    planner,
    readCount: () => readCount,
    async put(entries: Readonly<Record<string, object | null>>): Promise<number> {
      const changes = Object.entries(entries).map(
        ([key, value]): RegistryEntryChange => ({
          key,
          value: value === null ? null : Buffer.from(JSON.stringify(value)),
        }),
      );
      const result = await cluster.changeRegistry({ expectedRevision: revision, changes });
      assert.equal(result.error, 'NONE');
      revision = result.revision;
      return revision;
    },
    async planned(open: readonly string[] = []): Promise<readonly string[]> {
      const jobs = await planner.plan({
        nowMs: 1,
        isOpen: (scope) => open.includes(scope),
        lastDoneMs: () => undefined,
        freeCount: 8,
        openScopes: () => [],
      });
      for (const { scope, task } of jobs) {
        const { name, generation } = readExporterTask(task);
        assert.equal(scope, `${name} ${generation}`);
      }
      return jobs.map(({ scope }) => scope);
    },
  };
}

const status = (state: string, offset = 0, generation = 1) => ({ state, offset, ts: 1, generation });

test('an exporter runs when it was started, failed, or something changed after its offset', async () => {
  const { put, planned } = stage();
  assert.deepEqual(await planned(), []);
  await put({ 'exporter/e': {}, 'exporter-status/e': status('STARTING') });
  assert.deepEqual(await planned(), ['e 1']);
  assert.deepEqual(await planned(['e 1']), []);
  const seen = await put({ 'version/1/orders': {} });
  await put({ 'exporter-status/e': status('RUNNING', seen) });
  assert.deepEqual(await planned(), [], 'its own status is nothing to copy');
  await put({ 'version/2/orders': {} });
  assert.deepEqual(await planned(), ['e 1']);
  await put({ 'exporter-status/e': status('ERROR', seen + 10) });
  assert.deepEqual(await planned(), ['e 1']);
  await put({ 'exporter-status/e': status('PAUSED', 0, 2) });
  assert.deepEqual(await planned(), []);
  await put({ 'exporter-status/e': status('STARTING', 0, 3) });
  assert.deepEqual(await planned(), ['e 3']);
  await put({ 'exporter/e': null, 'exporter-status/e': null });
  assert.deepEqual(await planned(), []);
});

test('jobs of exporters that were paused, controlled or deleted are not wanted', async () => {
  const { put, planner } = stage();
  await put({
    'exporter/running': {},
    'exporter-status/running': status('RUNNING'),
    'exporter/paused': {},
    'exporter-status/paused': status('PAUSED'),
    'exporter-status/deleted': status('RUNNING'),
    'exporter/odd': {},
  });
  const scopes = ['running 1', 'running 0', 'paused 1', 'deleted 1', 'odd 1'];
  assert.deepEqual(await planner.unwanted!(scopes), scopes.slice(1));
});

test('a change is read once', async () => {
  const { put, planned, readCount } = stage();
  const many = Array.from({ length: 25_000 }, (_, at): [string, object] => [`version/1/s${at}`, {}]);
  for (let at = 0; at < many.length; at += 1000) await put(Object.fromEntries(many.slice(at, at + 1000)));
  await planned();
  assert.equal(readCount(), 3, 'in pages');
  await planned();
  assert.equal(readCount(), 4);
});

test('a task that is not one is refused', () => {
  for (const text of ['{}', '{"name":"e"}', '[]', '{"name":1,"generation":1}'])
    assert.throws(() => readExporterTask(Buffer.from(text)), RangeError);
});

test('an exporter gets the secrets that it names with its job, and another job with another value', async () => {
  const known = new Map([['pw', 'r1']]);
  const asked: string[] = [];
  const { put, planner } = stage({
    revisions: async () => known,
    open: async (names) => {
      asked.push(...names);
      return { pw: `value of ${known.get('pw')}` };
    },
    seal: async () => undefined,
    openSealed: async (exporter, settings) =>
      Object.fromEntries(
        settings.map(({ setting, sealed }) => [sealed, `${sealed} in ${setting} of ${exporter}`]),
      ),
  });
  await put({
    'exporter/plain': { config: { x: 'y' } },
    'exporter-status/plain': status('STARTING'),
    'exporter/secret': { config: { user: 'me', password: `\${secret:pw}`, other: `\${secret:missing}` } },
    'exporter-status/secret': status('STARTING'),
    'exporter/sealed': {
      config: { user: 'me', password: `\${sealed:v1.a.b-c}`, url: `//\${sealed:v1.d}@host` },
    },
    'exporter-status/sealed': status('STARTING'),
  });
  const plan = (freeCount: number) =>
    planner.plan({
      nowMs: 1,
      isOpen: () => false,
      lastDoneMs: () => undefined,
      openScopes: () => [],
      freeCount,
    });
  assert.deepEqual(await plan(0), []);
  assert.deepEqual(asked, [], 'nothing is opened for jobs that are not handed out');
  const [plain, secret, sealed] = await plan(8);
  assert.equal(plain!.scope, 'plain 1');
  assert.equal(readExporterTask(plain!.task).secrets, undefined);
  assert.match(secret!.scope, /^secret 1 [0-9a-f]{12}$/);
  assert.deepEqual(readExporterTask(secret!.task).secrets, { pw: 'value of r1' });
  assert.deepEqual(asked, ['pw', 'missing']);
  assert.deepEqual(readExporterTask(sealed!.task), {
    name: 'sealed',
    generation: 1,
    opened: { 'v1.a.b-c': 'v1.a.b-c in password of sealed', 'v1.d': 'v1.d in url of sealed' },
  });
  const scopes = [plain!.scope, secret!.scope];
  assert.deepEqual(await planner.unwanted!(scopes), []);
  known.set('pw', 'r2');
  assert.deepEqual(await planner.unwanted!(scopes), [secret!.scope], 'a new value starts it again');
});
