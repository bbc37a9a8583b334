import { type CompareBar, type RowName, rowNames } from './bars.ts';
import type { MetricName } from './metrics.ts';
import type { SideId } from './side-names.ts';

/** Why a bar is missed and what to try next, as the page says it below the bar. Sentences end with a full stop. */
export interface MissedReason {
  readonly rows: readonly RowName[];
  readonly metrics: readonly MetricName[];
  readonly sides: readonly SideId[];
  /** Goes on after "missed because". */
  readonly because: string;
  /** Goes on after "Next:". */
  readonly next: string;
}

/** The first that names the bar counts. One of a bar that is met is not printed. */
export const reasons: readonly MissedReason[] = [
  {
    rows: ['consume', 'light-fetch-1', 'light-fetch-16'],
    metrics: ['mbPerSecond', 'warmCpuSecondsPerGb'],
    sides: ['playground', 'local'],
    because:
      'Kafka hands pages of the file system to the socket and never has them in its own memory (`sendfile`), while ' +
      'Weir reads a file into memory and writes it to the socket from there: these two copies alone, both in the ' +
      'kernel, take 0.4 to 0.5 CPU seconds for each GB, and nothing of Node.js avoids one of them.',
    next: 'more pages in memory where there is memory for them, and files that stay open between two reads.',
  },
  {
    rows: ['start'],
    metrics: ['startMs'],
    sides: ['local'],
    because: 'most of a start is loading and compiling the bundle, and a busy machine doubles it.',
    next: 'a start-up snapshot of V8, and fewer modules before the first listener.',
  },
  {
    rows: ['steady', 'light-steady'],
    metrics: ['warmCpuSecondsPerGb'],
    sides: ['playground', 'local'],
    because:
      'at 60 MB/s a file has few batches, and what a file costs (building it, its commit, the change stream, timers) ' +
      'is spread over little.',
    next: 'fewer writes to sockets for the answers of a file, and buffers of frames and answers that are used again.',
  },
  {
    rows: ['steady', 'light-steady'],
    metrics: ['openP50Ms', 'openP99Ms'],
    sides: ['playground'],
    because:
      'Weir waits for the disk before it acknowledges, and files at a fixed rate are 4 to 6 ms apart, because each costs ' +
      'as much CPU time as a few requests: half of that distance is latency. While clients and server share two cores, ' +
      'a garbage collection or a slow write delays all batches of a file.',
    next:
      'less work for a file, and then a shorter distance; several frames at a time, so that a slow write does not ' +
      'hold up the next (ADR 0220 says what that needs).',
  },
  {
    rows: ['light-full', 'full-1', 'full-64'],
    metrics: ['mbPerSecond'],
    sides: ['playground'],
    because:
      'Weir acknowledges what is on the disk, and Kafka what the system will write there, so the disk decides, and what ' +
      'others write to it: ADR 0220 measured 200 to 1,260 MB/s for 4 MiB at a time, by the way in which they are written.',
    next:
      'several frames at a time, so that the disk does not wait while requests are answered and the next commit is ' +
      'executed.',
  },
  {
    rows: ['light-full', 'full-1', 'full-64'],
    metrics: ['mbPerSecond'],
    sides: ['local'],
    because: 'one thread decodes, checks and answers all requests, and on two cores a client has the other.',
    next: 'decoding and encoding in serving threads where there are cores for them.',
  },
  {
    rows: ['light-small'],
    metrics: ['mbPerSecond'],
    sides: ['playground', 'local'],
    because: 'decoding, checking and answering a request costs the same for 16 KiB as for 1 MiB.',
    next: 'decoding and encoding in serving threads where there are cores for them.',
  },
  {
    rows: ['defaults'],
    metrics: ['mbPerSecond'],
    sides: ['playground', 'local'],
    because:
      'a Java producer with defaults has five requests of 16 KiB under way. All five share a file and are answered ' +
      'together, so that client and server work in turns, while Kafka answers each as it comes; on a disk, a write that ' +
      'waits for it comes on top.',
    next: 'files that begin with the first request and do not wait for the others, once a file costs no more than one.',
  },
  {
    rows: ['store-8', 'store-60'],
    metrics: ['peakMib'],
    sides: ['agent'],
    because:
      'the figure is that of agent and control plane together, and over stores that charge for requests the page cache ' +
      'of an agent may have 384 MiB per core, which a fetch fills.',
    next: 'a page cache that is as large as the range of offsets that consumers read.',
  },
  {
    rows: [...rowNames],
    metrics: ['peakMib'],
    sides: ['playground', 'local', 'agent', 'threads-1', 'threads-2', 'threads-4', 'threads-8'],
    because:
      'caches of pages, pooled frames and the heap of V8 have limits of their own, whose sum is larger, and the system ' +
      'keeps what was freed. The young generation of V8 was up to 96 MiB larger before ADR 0190.',
    next: 'one limit that all of them share.',
  },
  {
    rows: ['store-8', 'store-60'],
    metrics: ['openP50Ms', 'openP99Ms'],
    sides: ['agent'],
    because:
      'client, store, control plane and agent share two cores, and a request to the store that is slow is the p99.',
    next: 'hedged requests by the measured distribution of each store.',
  },
  {
    rows: ['threads-disk', 'threads-memory'],
    metrics: ['mbPerSecond'],
    sides: ['threads-2'],
    because: 'the main thread bounds what an agent can do.',
    next: 'decoding and encoding in the threads.',
  },
];

export function reasonFor(
  { row, metric, side }: CompareBar,
  among: readonly MissedReason[] = reasons,
): MissedReason | undefined {
  return among.find(
    ({ rows, metrics, sides }) => rows.includes(row) && metrics.includes(metric) && sides.includes(side),
  );
}
