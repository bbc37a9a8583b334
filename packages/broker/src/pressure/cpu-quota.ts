import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Read = (path: string) => string;

/**
 * Returns the number of processors that the container of this process may use, possibly fractional; `undefined` without
 * a limit. Node.js counts whole processors, so a process with half of one would never appear fully loaded.
 */
export function cpuQuota(read: Read = (path) => readFileSync(path, 'utf8')): number | undefined {
  const folder = ownFolder(read);
  const quotas = [...new Set([folder, ''])].flatMap((inside) => {
    const quota = quotaOf(join('/sys/fs/cgroup', inside, 'cpu.max'), read) ?? oldQuotaOf(inside, read);
    return quota === undefined ? [] : [quota];
  });
  return quotas.length === 0 ? undefined : Math.min(...quotas);
}

/** Returns the control group of this process, as in `0::/system.slice/weir.service`. */
function ownFolder(read: Read): string {
  return /^0::\/(.*)$/m.exec(tryRead('/proc/self/cgroup', read))?.[1] ?? '';
}

/** `50000 100000`: microseconds per period of microseconds. `max 100000`: no limit. */
function quotaOf(path: string, read: Read): number | undefined {
  const found = /^(\d+) (\d+)/.exec(tryRead(path, read));
  return found === null ? undefined : positive(Number(found[1]) / Number(found[2]));
}

/** Control groups v1 have one file for each value; -1 is no limit. */
function oldQuotaOf(folder: string, read: Read): number | undefined {
  const number = (name: string) =>
    Number.parseInt(tryRead(join('/sys/fs/cgroup/cpu', folder, name), read), 10);
  return positive(number('cpu.cfs_quota_us') / number('cpu.cfs_period_us'));
}

function positive(quota: number): number | undefined {
  return Number.isFinite(quota) && quota > 0 ? quota : undefined;
}

function tryRead(path: string, read: Read): string {
  try {
    return read(path);
  } catch {
    return '';
  }
}
