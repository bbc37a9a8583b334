/**
 * Runs `weir demo` as users do, and says which of its promises it keeps:
 *
 *     node packages/cli/testing/run-demo.ts --minutes 10
 *
 * The promises that need ten minutes have one more minute. Further words are flags of the demo.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { pauseUnlessStopped, systemClock } from '@weir/core';
import {
  brokenPromises,
  type DemoPromise,
  earlyPromises,
  latePromises,
  minutePromises,
} from './demo-promises.ts';
import { type RunningDemo, startDemo } from './running-demo.ts';

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' } },
  allowPositionals: true,
});

const checkEveryMs = 10_000;
const minutes = Number(values.minutes);
const demo = await startDemo(positionals);
const startMs = systemClock.monotonicMs();
const say = (line: string) => process.stdout.write(`${line}\n`);
const never = new AbortController().signal;

/** Lasting promises that were kept and were not later, with the time. */
const lapses: string[] = [];
const promises = [...earlyPromises, ...minutePromises];

say(demo.stdout());
try {
  const keptAfter = await watch(demo, promises, minutes);
  const broken = await brokenPromises(demo, promises);
  const late = minutes >= 10 ? await watch(demo, latePromises, minutes + 1) : new Map<string, number>();
  for (const [name, seconds] of [...keptAfter, ...late]) say(`kept after ${seconds} s: ${name}`);
  for (const problem of broken) say(`broken: ${problem}`);
  for (const lapse of lapses) say(`not kept any more ${lapse}`);
  const lateBroken = minutes >= 10 ? latePromises.length - late.size : 0;
  say(`after ${minutes} min: ${promises.length - broken.length} of ${promises.length} promises are kept`);
  say(`later: ${late.size} of ${minutes >= 10 ? latePromises.length : 0}`);
  say(`cost: ${costOf(demo)}`);
  process.exitCode = broken.length + lateBroken + lapses.length === 0 ? 0 : 1;
} finally {
  const status = await demo.stop();
  say(`it ended with ${status}; errors: ${demo.stderr() || 'none'}`);
  if (status !== 0) process.exitCode = 1;
}

/** Checks promises until the time is over, notes lapses, and returns after how many seconds each was kept first. */
async function watch(
  running: RunningDemo,
  watched: readonly DemoPromise[],
  untilMinutes: number,
): Promise<ReadonlyMap<string, number>> {
  const keptAfter = new Map<string, number>();
  for (;;) {
    const elapsedMs = systemClock.monotonicMs() - startMs;
    const seconds = Math.round(elapsedMs / 1000);
    const open = watched.filter(({ name, isLasting = false }) => isLasting || !keptAfter.has(name));
    const broken = await brokenPromises(running, open);
    for (const { name } of open) {
      const problem = broken.find((line) => line.startsWith(`${name}: `));
      if (problem === undefined) keptAfter.set(name, keptAfter.get(name) ?? seconds);
      else if (keptAfter.has(name)) lapses.push(`after ${seconds} s: ${problem}`);
    }
    const leftMs = untilMinutes * 60_000 - elapsedMs;
    if (leftMs <= 0) return keptAfter;
    await pauseUnlessStopped(systemClock, Math.min(checkEveryMs, leftMs), never);
  }
}

/** The processor time and the memory of the demo, where the system says so. */
function costOf({ child: { pid } }: RunningDemo): string {
  if (process.platform !== 'linux') return 'not known on this system';
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const memory = /VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? '0';
  // User and system time in hundredths of a second, behind the name of the program.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  const share = ((100 * cpuSeconds) / seconds).toFixed(1);
  return `${share} % of a core, with the start; ${Math.round(Number(memory) / 1024)} MiB`;
}
