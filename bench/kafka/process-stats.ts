import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** Resource use of a process and its descendants so far, from `/proc`; `undefined` without `/proc`. */
export interface ProcessStats {
  /** User and system time together. */
  readonly cpuSeconds: number;
  /** Sum of resident sizes, current and peak. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

export function statsOf(pid: number): ProcessStats | undefined {
  const root = readStat(pid);
  if (root === undefined) return undefined;
  let cpuTicks = root.childTicks;
  let residentBytes = 0;
  let peakBytes = 0;
  for (const member of [root, ...descendantsOf(pid)]) {
    cpuTicks += member.ownTicks;
    residentBytes += statusBytes(member.pid, 'VmRSS');
    peakBytes += statusBytes(member.pid, 'VmHWM');
  }
  return { cpuSeconds: cpuTicks / ticksPerSecond(), residentBytes, peakBytes };
}

/** Returns the bytes in open files of a process that have been unlinked. */
export function unnamedFileBytes(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    try {
      // Counts allocated blocks, because a file with holes occupies less than its size.
      if (readlinkSync(`${folder}/${name}`).endsWith(' (deleted)'))
        bytes += statSync(`${folder}/${name}`).blocks * 512;
    } catch {
      // The file was closed in the meantime.
    }
  }
  return bytes;
}

interface Stat {
  readonly pid: number;
  readonly parentPid: number;
  readonly ownTicks: number;
  /** CPU time of children that have ended. */
  readonly childTicks: number;
}

/** Parses `/proc/<pid>/stat`. The process name may contain blanks and parentheses, so fields are counted after it. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(text, 10),
    parentPid: field(4),
    ownTicks: field(14) + field(15),
    childTicks: field(16) + field(17),
  };
}

function readStat(pid: number): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

function descendantsOf(pid: number): Stat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
  const found: Stat[] = [];
  for (const parents = [pid]; parents.length > 0; ) {
    const parentPid = parents.pop()!;
    for (const child of all.filter((stat) => stat.parentPid === parentPid)) {
      found.push(child);
      parents.push(child.pid);
    }
  }
  return found;
}

function statusBytes(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kib] = new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}

let knownTicksPerSecond: number | undefined;

function ticksPerSecond(): number {
  knownTicksPerSecond ??= Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;
  return knownTicksPerSecond;
}
