import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';

/** Resource use of a process and its descendants so far, from `/proc`; `undefined` without `/proc`. */
export interface ProcessStats {
  /** User and system time together, with that of children that have ended. */
  readonly cpuSeconds: number;
  readonly userSeconds: number;
  readonly systemSeconds: number;
  /** Sum of resident sizes, current and peak. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

export function statsOf(pid: number): ProcessStats | undefined {
  const root = readStat(pid);
  if (root === undefined) return undefined;
  let userTicks = root.childUserTicks;
  let systemTicks = root.childSystemTicks;
  let residentBytes = 0;
  let peakBytes = 0;
  for (const member of [root, ...descendantsOf(pid)]) {
    userTicks += member.userTicks;
    systemTicks += member.systemTicks;
    residentBytes += statusBytes(member.pid, 'VmRSS');
    peakBytes += statusBytes(member.pid, 'VmHWM');
  }
  const [userSeconds, systemSeconds] = [userTicks / ticksPerSecond(), systemTicks / ticksPerSecond()];
  return { cpuSeconds: userSeconds + systemSeconds, userSeconds, systemSeconds, residentBytes, peakBytes };
}

/**
 * CPU time by thread name, of the living threads of a process and its descendants. A number at the end of a name
 * is left out, so that the threads of a pool are one entry. Empty without `/proc`.
 */
export function threadSecondsOf(pid: number): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  const root = readStat(pid);
  for (const process of root === undefined ? [] : [root, ...descendantsOf(pid)]) {
    for (const thread of threadsOf(process.pid)) {
      const name = thread.name.replace(/[#-]?\d+$/, '');
      const ticks = thread.userTicks + thread.systemTicks;
      seconds.set(name, (seconds.get(name) ?? 0) + ticks / ticksPerSecond());
    }
  }
  return seconds;
}

function threadsOf(pid: number): Stat[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => readStat(`${pid}/task/${thread}`) ?? []);
  } catch {
    // The process has ended.
    return [];
  }
}

/** Makes the peak of a process start anew at its current size. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Without it the peak is that since the start of the process.
  }
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
  /** Of a process or a thread, at most 15 characters. */
  readonly name: string;
  readonly userTicks: number;
  readonly systemTicks: number;
  /** CPU time of children that have ended. */
  readonly childUserTicks: number;
  readonly childSystemTicks: number;
}

/** Parses `/proc/<pid>/stat`. The process name may contain blanks and parentheses, so fields are counted after it. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(text, 10),
    parentPid: field(4),
    name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
    userTicks: field(14),
    systemTicks: field(15),
    childUserTicks: field(16),
    childSystemTicks: field(17),
  };
}

function readStat(pid: number | string): Stat | undefined {
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
