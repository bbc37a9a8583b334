import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore, SemaphoreFull } from './semaphore.ts';

/** Tasks that end when the test ends them. */
function heldTasks() {
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const task = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      started.push(name);
      ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
    });
  return { started, task, end: (name: string, error?: Error) => ends.get(name)!(error) };
}

/** Lets promises settle that wait for nothing else. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

test('tasks beyond the permits wait in order, and tasks beyond the limit on waiting are rejected', async () => {
  const semaphore = new Semaphore({ permits: 2, waitingMax: 2 });
  const { started, task, end } = heldTasks();
  const runs = ['a', 'b', 'c', 'd'].map((name) => semaphore.run(task(name)));
  await assert.rejects(semaphore.run(task('e')), SemaphoreFull);
  assert.equal(semaphore.tryAcquire(), false);
  assert.deepEqual(started, ['a', 'b']);
  end('b');
  await settled();
  assert.deepEqual(started, ['a', 'b', 'c']);
  assert.equal(semaphore.running, 2);
  for (const name of ['a', 'c', 'd']) {
    end(name);
    await settled();
  }
  assert.deepEqual(await Promise.all(runs), ['a', 'b', 'c', 'd']);
  assert.equal(semaphore.running, 0);
});

test('a task that fails passes its permit on', async () => {
  const semaphore = new Semaphore({ permits: 2 });
  const { started, task, end } = heldTasks();
  const outcomes = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    semaphore.run(task(name)).then(
      () => 'done',
      () => 'failed',
    ),
  );
  end('b', new Error('on purpose'));
  assert.equal(await outcomes[1], 'failed');
  await settled();
  assert.deepEqual([started, semaphore.running], [['a', 'b', 'c'], 2]);
  for (const name of ['a', 'c', 'd', 'e']) {
    end(name);
    await settled();
  }
  assert.deepEqual(await Promise.all(outcomes), ['done', 'failed', 'done', 'done', 'done']);
  assert.deepEqual([started, semaphore.running], [['a', 'b', 'c', 'd', 'e'], 0]);
});

test('a permit can be held without a task', async () => {
  const semaphore = new Semaphore({ permits: 1 });
  assert.equal(semaphore.tryAcquire(), true);
  assert.equal(semaphore.tryAcquire(), false);
  const { started, task, end } = heldTasks();
  const run = semaphore.run(task('a'));
  assert.deepEqual(started, []);
  semaphore.release();
  await settled();
  assert.deepEqual(started, ['a']);
  end('a');
  await run;
  assert.equal(semaphore.tryAcquire(), true);
});
