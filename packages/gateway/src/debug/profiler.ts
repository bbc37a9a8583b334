import type { NodeTracing } from 'node:inspector';
import type { Session } from 'node:inspector/promises';
import { type Clock, KiB, pauseUnlessStopped } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';

/** How long to observe the process, unless the caller leaves before that. */
export interface Span {
  readonly ms: number;
  readonly closed: AbortSignal;
  readonly clock: Clock;
}

/** As in programs in Go: little enough for an agent under load. */
export const cpuIntervalUs = 10_000;

/** Samples of what is in use are few, so that they can be closer. */
export const heapIntervalBytes = { inuse: 32 * KiB, alloc: 512 * KiB } as const;

/**
 * Categories of a trace: garbage collections, turns of work in other threads, and stacks. Those with paths, hosts,
 * addresses or other data of users are not among them.
 */
const traceCategories = [
  'v8',
  'node.perf',
  'node.threadpoolwork.async',
  'node.threadpoolwork.sync',
  'disabled-by-default-v8.cpu_profiler',
];

/** The inspector of a thread has one profiler: two callers would stop each other's. */
let isBusy = false;

/**
 * Gives the inspector of this thread, which needs no port, to one caller at a time. Throws an `HttpProblem` with 409 if
 * there is another one.
 */
async function withInspector<Output>(use: (session: Session) => Promise<Output>): Promise<Output> {
  if (isBusy) throw new HttpProblem(409, 'Another profile is being taken; try again when it has ended.');
  isBusy = true;
  try {
    // Not before it is needed.
    const inspector = await import('node:inspector/promises');
    const session = new inspector.Session();
    session.connect();
    try {
      return await use(session);
    } finally {
      // Also ends what runs.
      session.disconnect();
    }
  } finally {
    isBusy = false;
  }
}

/** What runs, by samples. */
export function cpuProfile(span: Span) {
  return withInspector(async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: cpuIntervalUs });
    await session.post('Profiler.start');
    await passed(span);
    return (await session.post('Profiler.stop')).profile;
  });
}

/** What is allocated meanwhile, by samples: all of it, or what is in use at the end. */
export function heapProfile(kind: 'inuse' | 'alloc', span: Span) {
  return withInspector(async (session) => {
    const isAll = kind === 'alloc';
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: heapIntervalBytes[kind],
      includeObjectsCollectedByMajorGC: isAll,
      includeObjectsCollectedByMinorGC: isAll,
    });
    await passed(span);
    return (await session.post('HeapProfiler.stopSampling')).profile;
  });
}

/** Events of a trace, as JSON, as they come. It ends early if there are too many of them. */
export function trace(span: Span, onEvents: (events: readonly string[]) => void): Promise<void> {
  return withInspector(async (session) => {
    const full = new AbortController();
    const complete = Promise.withResolvers<void>();
    let chars = 0;
    session.on(
      'NodeTracing.dataCollected',
      ({ params }: { params: NodeTracing.DataCollectedEventDataType }) => {
        const events = params.value.map((event) => JSON.stringify(event));
        for (const event of events) chars += event.length;
        if (chars > gatewayLimits.debugTraceCharsMax) full.abort();
        else onEvents(events);
      },
    );
    session.on('NodeTracing.tracingComplete', () => complete.resolve());
    await session.post('NodeTracing.start', { traceConfig: { includedCategories: traceCategories } });
    await passed({ ...span, closed: AbortSignal.any([span.closed, full.signal]) });
    await session.post('NodeTracing.stop');
    await complete.promise;
  });
}

function passed({ ms, closed, clock }: Span): Promise<void> {
  return pauseUnlessStopped(clock, ms, closed);
}
