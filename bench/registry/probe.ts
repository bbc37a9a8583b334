import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into a server before its program. On SIGUSR2 it collects garbage and prints one line about the memory of the
 * process and the longest time for which its thread was not free since the last such line.
 */
export interface ProbeLine {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Beyond the heap: buffers. */
  readonly externalBytes: number;
  readonly longestBlockMs: number;
}

export const probeMark = 'bench-probe';

const resolutionMs = 10;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

process.on('SIGUSR2', () => {
  const longestBlockMs = Math.max(0, delays.max / 1e6 - resolutionMs);
  for (let time = 0; time < 2; time++) collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const line: ProbeLine = { rssBytes: rss, heapBytes: heapUsed, externalBytes: external, longestBlockMs };
  process.stderr.write(`${probeMark} ${JSON.stringify(line)}\n`);
  delays.reset();
});
