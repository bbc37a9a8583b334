import type { HeapProfiler, Profiler, Runtime } from 'node:inspector';
import { PprofBuilder } from './pprof.ts';

type CpuProfile = Profiler.Profile;
type HeapProfile = HeapProfiler.SamplingHeapProfile;
type HeapNode = HeapProfiler.SamplingHeapProfileNode;

interface Taken {
  readonly timeMs: number;
  readonly durationMs: number;
}

/** What V8 calls the time in which nothing ran. A CPU profile of pprof has no such time. */
const idleName = '(idle)';

/** Converts a CPU profile of V8. The time of a sample is that until the next one. */
export function cpuPprof(profile: CpuProfile, intervalUs: number, taken: Taken): Buffer {
  const builder = new PprofBuilder({
    valueTypes: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    period: { type: 'cpu', unit: 'nanoseconds', value: intervalUs * 1000 },
    ...taken,
  });
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes) for (const child of children) parents.set(child, id);
  for (const [id, { count, us }] of timesOf(profile)) {
    if (byId.get(id)?.callFrame.functionName === idleName) continue;
    const stack: number[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = byId.get(at)?.callFrame;
      // The root is no function.
      if (frame !== undefined && parents.has(at)) stack.push(builder.location(frameOf(frame)));
    }
    if (stack.length > 0) builder.sample(stack, [count, us * 1000]);
  }
  return builder.finish();
}

/** Samples of each node, and the time of them. */
function timesOf({ samples = [], timeDeltas = [], startTime, endTime }: CpuProfile) {
  const times = new Map<number, { count: number; us: number }>();
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index] ?? 0;
    const us = timeDeltas[index + 1] ?? Math.max(0, endTime - atUs);
    const time = times.get(id) ?? { count: 0, us: 0 };
    // Samples may be out of order by some microseconds.
    times.set(id, { count: time.count + 1, us: time.us + Math.max(0, us) });
  }
  return times;
}

/** Converts a sampled heap profile of V8. */
export function heapPprof(
  { head }: HeapProfile,
  kind: 'inuse' | 'alloc',
  intervalBytes: number,
  taken: Taken,
): Buffer {
  const builder = new PprofBuilder({
    valueTypes: [{ type: `${kind}_space`, unit: 'bytes' }],
    period: { type: 'space', unit: 'bytes', value: intervalBytes },
    ...taken,
  });
  // Not by recursion: stacks of programs may be deeper than that of this function.
  const open: { readonly node: HeapNode; readonly stack: readonly number[] }[] = [{ node: head, stack: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, stack } = next;
    if (node.selfSize > 0 && stack.length > 0) builder.sample(stack, [node.selfSize]);
    for (const child of node.children)
      open.push({ node: child, stack: [builder.location(frameOf(child.callFrame)), ...stack] });
  }
  return builder.finish();
}

function frameOf({ functionName, url, lineNumber }: Runtime.CallFrame) {
  return {
    name: functionName === '' ? '(anonymous)' : functionName,
    file: url.replace(/^file:\/\//, ''),
    line: lineNumber + 1,
  };
}
