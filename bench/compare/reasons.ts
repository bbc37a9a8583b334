import type { CompareBar, RowName } from './bars.ts';
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
      'Weir reads a file into memory and writes it to the socket from there.',
    next: 'fewer and larger reads for each answer, and pages that several consumers share.',
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
