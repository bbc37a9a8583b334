import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '@weir/core';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { median } from './side-by-side.ts';

const executable = join(import.meta.dirname, '../bin/weir');

/** Nothing listens there, so that a tool ends with its first connection. */
const kafka = '-bootstrap-host 127.0.0.1 -bootstrap-port 1 -request-timeout 100ms';
const api = '-apiURL http://127.0.0.1:1 -apiKey none -cluster vci_none';
const bucket = '-bucketURL file:///nonexistent';

const lines = [
  'version',
  'cli list-topics --help',
  `cli list-topics ${kafka}`,
  `cli fetch -topic orders ${kafka}`,
  `cli produce -topic orders -records a ${kafka}`,
  `cli benchmark-producer -topic orders -metrics-port 0 ${kafka}`,
  `cli diagnose-connection ${kafka}`,
  'cli register-schema -subject orders -schema-file /nonexistent',
  `cli file-reader -log-file service/none ${bucket}`,
  `cli file-scrubber ${bucket}`,
  `cli storage-costs -prices none=1 ${api}`,
] as const;

const bar = atMost(250);

/** How long tools take from the start of the process to its end, up to their first connection. */
export const cliStart: Benchmark = {
  name: 'cli-start',
  async run({ turns }) {
    const isSmoke = turns === 1;
    const runs = Math.min(turns, 15);
    const rows: Row[] = [];
    for (const line of isSmoke ? lines.slice(0, 1) : lines) {
      if (!isSmoke) startOnce(line);
      const ms = Array.from({ length: runs }, () => startOnce(line)).sort((a, b) => a - b);
      rows.push({
        what: `weir ${line.split(' -')[0]}${line.endsWith('--help') ? ' --help' : ''}`,
        result: Math.round(median(ms)),
        unit: 'ms',
        bar,
        detail: `${runs} runs, ${Math.round(ms[0]!)} to ${Math.round(ms.at(-1)!)} ms`,
      });
    }
    return rows;
  },
};

function startOnce(line: string): number {
  const startMs = systemClock.monotonicMs();
  spawnSync(executable, line.split(' '), { stdio: 'ignore', env: {} });
  return systemClock.monotonicMs() - startMs;
}
