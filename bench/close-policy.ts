import type { Benchmark, Row } from './benchmark.ts';
import { type Measured, rowsOf, slowStoreLoads } from './slow-store/loads.ts';
import { runVirtually, type VirtualMachine, type VirtualResult } from './slow-store/virtual-run.ts';

/**
 * Two machines: one on which nothing but the store and the commit takes time, and one whose times are those of the
 * processes of `slow-store` that share two cores.
 */
const machines: Readonly<Record<string, Partial<VirtualMachine>>> = {
  'no other costs': {},
  'two cores': { commitMs: 8, msPerRequest: 0.3, msPerMb: 3 },
};

const seeds = [17, 1, 2, 3];
/** What a smoke test writes, of what the load says. */
const smokeShare = 0.05;

/**
 * The loads of `slow-store` in virtual time: what the time to close a file and to send an upload again make possible,
 * however busy this machine is. Results are means over some seeds.
 */
export const closePolicy: Benchmark = {
  name: 'close-policy',
  async run(effort) {
    const rows: Row[] = [];
    const isFull = effort.turns > 1;
    for (const [name, machine] of Object.entries(machines)) {
      for (const load of slowStoreLoads) {
        const results: VirtualResult[] = [];
        const megabytes = load.load.megabytes * (isFull ? 1 : smokeShare);
        for (const seed of isFull ? seeds : seeds.slice(0, 1))
          results.push(await runVirtually({ ...load, load: { ...load.load, megabytes } }, { seed, machine }));
        const mean = (key: keyof Measured | 'hedgedShare') =>
          results.reduce((sum, result) => sum + result[key], 0) / results.length;
        const measured = {
          p50Ms: Math.round(mean('p50Ms')),
          p99Ms: Math.round(mean('p99Ms')),
          mbPerSecond: Math.round(mean('mbPerSecond')),
          putsPerGib: Math.round(mean('putsPerGib')),
        };
        const detail = `${Math.round(mean('hedgedShare') * 100)} % of uploads sent again`;
        rows.push(...rowsOf({ ...load, what: `${name}: ${load.what}` }, measured, detail));
      }
    }
    return rows;
  },
};
