import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** What a process and its descendants have used so far, from `/proc`; nothing where there is no such folder. */
export interface ProcessStats {
  /** User and system time together. */
  readonly cpuSeconds: number;
  /** The resident size of each, added up, now and at its largest. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

export function figuresOf(pid: number): ProcessStats | undefined {
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

/** What lies in files that a process has open and that have no name any more. */
export function unnamedFileBytes(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    try {
      // A disk may hold less than the size says where content was cut out.
      if (readlinkSync(`${folder}/${name}`).endsWith(' (deleted)'))
        bytes += statSync(`${folder}/${name}`).blocks * 512;
    } catch {
      // It was closed meanwhile.
    }
  }
  return bytes;
}

interface Stat {
  readonly pid: number;
  readonly parentPid: number;
  readonly ownTicks: number;
  /** Of children that have ended. */
  readonly childTicks: number;
}

/** Reads `/proc/<pid>/stat`. The name in it may hold blanks and parentheses, so that fields are counted behind it. */
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
