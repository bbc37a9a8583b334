import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LinkingTask, readLinkingTask } from '@weir/cluster';
import { type LinkingPipeline, schemaLinkingPlanner } from './schema-linking-planner.ts';

const task: LinkingTask = {
  pipelineId: 'pi_1',
  configurationId: 'pci_1',
  hostname: 'h',
  port: 8081,
  usesTls: false,
  isInsecure: false,
  contextType: 'DEFAULT',
};

async function scopesAt(
  pipelines: readonly LinkingPipeline[],
  nowMs: number,
  { open = '', doneMs = undefined as number | undefined } = {},
): Promise<string[]> {
  const planner = schemaLinkingPlanner(async () => pipelines);
  const planned = await planner.plan({
    nowMs,
    isOpen: (scope) => scope === open,
    lastDoneMs: () => doneMs,
    freeCount: 1,
    openScopes: () => [],
  });
  for (const { task: bytes } of planned) assert.equal(readLinkingTask(bytes).hostname, 'h');
  return planned.map(({ scope }) => scope);
}

test('a sync is due at once, and then after each interval', async () => {
  const pipelines = [{ task, everyMs: 60_000 }];
  assert.deepEqual(await scopesAt([], 1), []);
  assert.deepEqual(await scopesAt(pipelines, 1), ['pi_1 pci_1']);
  assert.deepEqual(await scopesAt(pipelines, 1, { open: 'pi_1 pci_1' }), []);
  assert.deepEqual(await scopesAt(pipelines, 60_999, { doneMs: 1000 }), []);
  assert.deepEqual(await scopesAt(pipelines, 61_000, { doneMs: 1000 }), ['pi_1 pci_1']);
});

test('syncs of pipelines that do not run any more, or with another configuration, stop', async () => {
  let pipelines: readonly LinkingPipeline[] = [{ task, everyMs: 60_000 }];
  const planner = schemaLinkingPlanner(async () => pipelines);
  const scopes = ['pi_1 pci_1', 'pi_1 pci_0'];
  assert.deepEqual(await planner.unwanted!(scopes), ['pi_1 pci_0']);
  pipelines = [];
  assert.deepEqual(await planner.unwanted!(scopes), scopes);
});

test('a task that is not one is refused', () => {
  for (const text of ['{}', JSON.stringify({ ...task, contextType: 'OTHER' }), '[]'])
    assert.throws(() => readLinkingTask(Buffer.from(text)), RangeError);
});

test('secrets are opened for a job that is due, and another value makes another job', async () => {
  let opened = 0;
  const pipeline = (secretsDigest: string): LinkingPipeline => ({
    task: { ...task, password: `\${secret:pw}`, secretsDigest },
    everyMs: 60_000,
    openSecrets: async () => {
      opened++;
      return { pw: `value of ${secretsDigest}` };
    },
  });
  let pipelines = [pipeline('one')];
  const planner = schemaLinkingPlanner(async () => pipelines);
  const state = {
    nowMs: 1,
    isOpen: () => false,
    lastDoneMs: () => undefined,
    freeCount: 1,
    openScopes: () => [],
  };
  assert.deepEqual(await planner.plan({ ...state, isOpen: () => true }), []);
  assert.deepEqual(await planner.plan({ ...state, freeCount: 0 }), []);
  assert.equal(opened, 0);
  const [planned] = await planner.plan(state);
  assert.equal(planned!.scope, 'pi_1 pci_1 one');
  assert.deepEqual(readLinkingTask(planned!.task).secrets, { pw: 'value of one' });
  pipelines = [pipeline('two')];
  assert.deepEqual(await planner.unwanted!(['pi_1 pci_1 one']), ['pi_1 pci_1 one']);
  const [next] = await planner.plan(state);
  assert.deepEqual(readLinkingTask(next!.task).secrets, { pw: 'value of two' });
});
