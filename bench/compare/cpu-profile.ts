/** What is read of a `.cpuprofile`. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples?: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas?: readonly number[];
}

interface SelfTime {
  readonly name: string;
  readonly ms: number;
  /** Of the profile without idle time. */
  readonly share: number;
}

interface ProfileSummary {
  readonly busyMs: number;
  readonly idleMs: number;
  /** By package, and the runtime's own: garbage collector, program (native code), Node. */
  readonly groups: readonly SelfTime[];
  readonly functions: readonly SelfTime[];
}

const idle = '(idle)';

/** Self times, largest first. */
export function summarize({ nodes, samples = [], timeDeltas = [] }: CpuProfile): ProfileSummary {
  const msById = new Map<number, number>();
  samples.forEach((id, index) => {
    msById.set(id, (msById.get(id) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  });
  const functions = new Map<string, number>();
  const groups = new Map<string, number>();
  let [busyMs, idleMs] = [0, 0];
  for (const { id, callFrame } of nodes) {
    const ms = msById.get(id) ?? 0;
    if (ms === 0) continue;
    if (callFrame.functionName === idle) {
      idleMs += ms;
      continue;
    }
    busyMs += ms;
    add(functions, functionName(callFrame), ms);
    add(groups, groupOf(callFrame), ms);
  }
  const sorted = (entries: ReadonlyMap<string, number>): SelfTime[] =>
    [...entries]
      .map(([name, ms]) => ({ name, ms, share: ms / busyMs }))
      .sort((a, b) => b.ms - a.ms || a.name.localeCompare(b.name));
  return { busyMs, idleMs, groups: sorted(groups), functions: sorted(functions) };
}

function add(sums: Map<string, number>, name: string, ms: number): void {
  sums.set(name, (sums.get(name) ?? 0) + ms);
}

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

function functionName({ functionName: name, url, lineNumber }: CallFrame): string {
  const where = url === '' ? '' : ` ${shortUrl(url)}:${lineNumber + 1}`;
  return `${name === '' ? '(anonymous)' : name}${where}`;
}

/** From the folder of packages or modules on. */
function shortUrl(url: string): string {
  return /(?:packages|node_modules)\/.*$/.exec(url)?.[0] ?? url;
}

function groupOf({ functionName: name, url }: CallFrame): string {
  if (url === '') return name.startsWith('(') ? name : '(native)';
  if (url.startsWith('node:')) return 'Node';
  const [, folder, part] = /(packages|node_modules)\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return part === undefined ? 'other' : `${folder === 'packages' ? '' : 'module '}${part}`;
}

/** The lines that are printed of a profile. */
export function summaryText({ busyMs, idleMs, groups, functions }: ProfileSummary, count: number): string {
  const whole = busyMs + idleMs;
  const share = whole === 0 ? 0 : busyMs / whole;
  const line = ({ name, ms, share: part }: SelfTime) =>
    `  ${(part * 100).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(7)} ms  ${name}`;
  return [
    `busy ${busyMs.toFixed(0)} ms, idle ${idleMs.toFixed(0)} ms (${(share * 100).toFixed(0)} % busy); self time by package:`,
    ...groups.map(line),
    `top ${Math.min(count, functions.length)} functions by self time:`,
    ...functions.slice(0, count).map(line),
    '',
  ].join('\n');
}
