import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogFields, silentLog } from '@weir/core';
import { compose, started } from './component.ts';

interface Base {
  readonly options: { readonly log: typeof silentLog };
  readonly happened: string[];
}

/** A component that provides its own name. */
function component<Name extends string>(name: Name) {
  return {
    name,
    async start({ happened }: Base) {
      happened.push(`start ${name}`);
      return started({ [name]: true } as Record<Name, true>, async () => {
        happened.push(`stop ${name}`);
      });
    },
  };
}

const afterB = {
  name: 'after b',
  start({ a, b, happened }: Base & { readonly a: boolean; readonly b: boolean }) {
    happened.push(`start with ${a} ${b}`);
    return started({});
  },
};

function base(): Base {
  return { options: { log: silentLog }, happened: [] };
}

test('components start in order with what the ones before provide, and stop in reverse', async () => {
  const context = base();
  const { happened } = context;
  const running = await compose<Base>().with(component('a')).with(component('b')).with(afterB).start(context);
  assert.deepEqual(running.context, { ...context, a: true, b: true });
  assert.deepEqual(happened.splice(0), ['start a', 'start b', 'start with true true']);
  await running[Symbol.asyncDispose]();
  assert.deepEqual(happened.splice(0), ['stop b', 'stop a']);
  await running[Symbol.asyncDispose]();
  assert.deepEqual(happened, [], 'once');
});

test('a component that does not start stops those before it', async () => {
  const context = base();
  const failing = {
    name: 'failing',
    start(): never {
      throw new Error('port is taken');
    },
  };
  const composition = compose<Base>()
    .with(component('a'))
    .with(component('b'))
    .with(failing)
    .with(component('c'));
  await assert.rejects(composition.start(context), { message: 'port is taken' });
  assert.deepEqual(context.happened, ['start a', 'start b', 'stop b', 'stop a']);
});

test('two agents of one composition have nothing in common', async () => {
  const composition = compose<Base>().with(component('a'));
  const [one, two] = [base(), base()];
  const running = await composition.start(one);
  await composition.start(two);
  await running[Symbol.asyncDispose]();
  assert.deepEqual([one.happened, two.happened], [['start a', 'stop a'], ['start a']]);
});

test('what a component needs is checked by the compiler', () => {
  const composition = compose<Base>().with(component('b'));
  // @ts-expect-error: nothing before it provides `a`
  composition.with(afterB);
  composition.with(component('a')).with(afterB);
});

test('starts and stops are debug lines', async () => {
  const lines: string[] = [];
  const debug = (message: string, fields?: LogFields) => lines.push(`${message}: ${fields?.component}`);
  const log = { ...silentLog, debug };
  const running = await compose<Base>()
    .with(component('a'))
    .with(component('b'))
    .start({ ...base(), options: { log } });
  await running[Symbol.asyncDispose]();
  assert.deepEqual(lines, [
    'started component: a',
    'started component: b',
    'stopped component: b',
    'stopped component: a',
  ]);
});
