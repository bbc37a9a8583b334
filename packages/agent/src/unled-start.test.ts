import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { firstSnapshot } from './components/cluster-view.ts';

type Context = Parameters<typeof firstSnapshot.start>[0];

async function linesAfter(ms: number, hasRipcord: boolean): Promise<readonly string[]> {
  const clock = new HandClock();
  const lines: string[] = [];
  let arrive = () => {};
  const view = {
    ready: () =>
      new Promise<void>((resolve) => {
        arrive = resolve;
      }),
    close() {},
  };
  const log = {
    warn: (line: string, { reason }: { readonly reason: string }) => lines.push(`${line}: ${reason}`),
  };
  const start = firstSnapshot.start({ options: { clock, log, hasRipcord }, view } as unknown as Context);
  clock.advance(ms);
  arrive();
  await start;
  clock.advance(60_000);
  return lines;
}

test('an agent that starts without a control plane says what it waits for, once', async () => {
  assert.deepEqual(await linesAfter(9_000, true), [], 'a failover is no outage');
  const [line, ...others] = await linesAfter(60_000, true);
  assert.match(
    line!,
    /^found no control plane, .*: -enableRipcord goes on without one only after the start$/,
  );
  assert.deepEqual(others, []);
  assert.match((await linesAfter(60_000, false))[0]!, /^found no control plane, .*: the cluster is unknown$/);
});
