import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfEach, runEach } from './run-each.ts';
import { type TaskEnd, TaskStore, type TaskToStart } from './task-store.ts';

const store = () => new TaskStore((error) => (error as Error).message);

function taskOf(run: TaskToStart['run']): TaskToStart {
  return { title: 'Count', run };
}

const ok: TaskEnd = { kind: 'ok', text: 'Counted' };

test('a task shows its progress and its end', async () => {
  const tasks = store();
  const seen: string[] = [];
  tasks.subscribe(() => {
    const [{ progress, end } = { progress: { done: -1 } }] = tasks.list();
    seen.push(`${progress.done} ${end?.text ?? 'runs'}`);
  });
  await tasks.start(
    taskOf(async ({ report }) => {
      report({ done: 1, total: 2 });
      return ok;
    }),
  );
  assert.deepEqual(seen, ['0 runs', '1 runs', '1 Counted']);
  const { id } = tasks.list()[0]!;
  tasks.dismiss(id);
  assert.deepEqual(tasks.list(), []);
});

test('a task that failed can be tried again in its place', async () => {
  const tasks = store();
  let attempts = 0;
  await tasks.start(
    taskOf(async () => {
      if (++attempts === 1) throw new Error('no connection');
      return ok;
    }),
  );
  const [failed] = tasks.list();
  assert.deepEqual([failed!.end!.kind, failed!.end!.text], ['fail', 'Failed: no connection']);
  await tasks.follow(failed!.id, failed!.end!.next![0]!.task);
  assert.deepEqual(
    tasks.list().map(({ end }) => end),
    [ok],
  );
});

test('a running task is cancelled and not dismissed', async () => {
  const tasks = store();
  const ended = tasks.start(
    taskOf(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ),
  );
  const { id } = tasks.list()[0]!;
  tasks.dismiss(id);
  tasks.dismissEnded();
  assert.equal(tasks.list().length, 1);
  tasks.cancel(id);
  assert.equal(tasks.list()[0]!.isCancelled, true);
  await ended;
  assert.equal(tasks.list()[0]!.end!.text, 'Cancelled');
});

test('ended tasks are bounded, and all are forgotten at once', async () => {
  const tasks = store();
  const isAborted = Promise.withResolvers<void>();
  const running = tasks.start(
    taskOf(async ({ signal }) => {
      signal.addEventListener('abort', () => isAborted.resolve());
      await isAborted.promise;
      return ok;
    }),
  );
  for (let count = 0; count < 30; count++) await tasks.start(taskOf(async () => ok));
  assert.equal(tasks.list().length, 21);
  assert.equal(tasks.list()[0]!.end, undefined, 'what runs stays');
  tasks.forgetAll();
  await running;
  assert.deepEqual(tasks.list(), []);
});

interface Case {
  readonly name: string;
  /** Names beginning with `!` fail, with `!!` for all after them too; `x` cancels while it is done. */
  readonly names: string;
  readonly text: string;
  readonly kind: TaskEnd['kind'];
  readonly parts: readonly string[];
  readonly next: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'all',
    names: 'a b',
    text: 'Deleted 2 topics',
    kind: 'ok',
    parts: ['Deleted (2): a b'],
    next: ['Undo: a b'],
  },
  {
    name: 'one is refused',
    names: 'a !b c',
    text: 'Deleted 2 of 3 topics, 1 failed',
    kind: 'fail',
    parts: ['Failed (1): !b: refused', 'Deleted (2): a c'],
    next: ['Undo: a c', 'Retry the rest: !b'],
  },
  {
    name: 'the service is away',
    names: 'a !!b c',
    text: 'Deleted 1 of 3 topics, 1 failed, 1 not tried',
    kind: 'fail',
    parts: ['Failed (1): !!b: refused', 'Deleted (1): a', 'Not tried (1): c'],
    next: ['Undo: a', 'Retry the rest: !!b c'],
  },
  {
    name: 'cancelled',
    names: 'a x c',
    text: 'Cancelled: Deleted 2 of 3 topics, 1 not tried',
    kind: 'warn',
    parts: ['Deleted (2): a x', 'Not tried (1): c'],
    next: ['Undo: a x', 'Continue: c'],
  },
  {
    name: 'cancelled at the last one',
    names: 'a x',
    text: 'Deleted 2 topics',
    kind: 'ok',
    parts: ['Deleted (2): a x'],
    next: ['Undo: a x'],
  },
  {
    name: 'none',
    names: '!a',
    text: 'Deleted 0 of 1 topic, 1 failed',
    kind: 'fail',
    parts: ['Failed (1): !a: refused'],
    next: ['Retry the rest: !a'],
  },
];

for (const { name, names, text, kind, parts, next } of cases) {
  test(`the same for each of several: ${name}`, async () => {
    const cancel = new AbortController();
    const reported: number[] = [];
    const outcome = await runEach(
      names.split(' '),
      {
        act: async (one) => {
          if (one === 'x') cancel.abort();
          if (one.startsWith('!')) throw new Error(one);
        },
        failureOf: (error) => ({ problem: 'refused', isForAll: (error as Error).message.startsWith('!!') }),
      },
      { signal: cancel.signal, report: ({ done }) => void reported.push(done) },
    );
    const titled = (given: readonly string[]): TaskToStart => ({
      title: given.join(' '),
      run: async () => ok,
    });
    const end = endOfEach(outcome, { verb: 'Deleted', noun: 'topic', again: titled, undo: titled });
    assert.deepEqual([end.text, end.kind], [text, kind]);
    assert.deepEqual(
      end.parts!.map((part) => `${part.label}: ${part.names.join(' ')}`),
      parts,
    );
    assert.deepEqual(
      end.next!.map(({ label, task }) => `${label}: ${task.title}`),
      next,
    );
    assert.deepEqual(reported, [0, 1, 2].slice(0, reported.length));
  });
}
