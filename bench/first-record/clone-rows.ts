import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/core';
import { freshEnvironment } from '../../tests/interop/fresh-environment.ts';
import { msToFirstRecord } from '../../tests/interop/release/longer/first-record.ts';
import { atMost, type Row } from '../benchmark.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { median } from '../side-by-side.ts';
import { timesOf, withPorts } from './turns.ts';

const root = join(import.meta.dirname, '../..');
const cloneTurns = 3;

/** From `npm start` in a fresh clone, with what npm has cached, and with nothing cached. */
export async function cloneRows(lifetime: Lifetime): Promise<Row[]> {
  const rows: Row[] = [];
  for (const isCached of [true, false]) {
    const times: number[] = [];
    const cloneTimes: number[] = [];
    for (let turn = 0; turn < cloneTurns; turn++) {
      const folder = lifetime.folder();
      const [clone, home, cache] = [join(folder, 'clone'), join(folder, 'home'), join(folder, 'cache')];
      mkdirSync(home);
      const startMs = systemClock.monotonicMs();
      // By the protocol, as from another machine, and not by links.
      execFileSync('git', ['clone', '--quiet', `file://${root}`, clone]);
      cloneTimes.push(systemClock.monotonicMs() - startMs);
      const environment = freshEnvironment(home);
      const { env, port } = await withPorts(
        isCached ? environment : { ...environment, npm_config_cache: cache },
      );
      times.push(await msToFirstRecord({ command: 'npm', args: ['start'], cwd: clone, env, port }));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    rows.push({
      what: `from npm start in a fresh clone; npm's cache is ${isCached ? 'warm' : 'empty'}`,
      result: Number((median(times) / 1_000).toFixed(1)),
      unit: 's',
      bar: atMost(20),
      detail: `${timesOf(times, 1_000, 1)} s; git clone took ${timesOf(cloneTimes, 1_000, 1)} s more`,
    });
  }
  return rows;
}
