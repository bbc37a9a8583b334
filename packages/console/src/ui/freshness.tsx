import { formatTime } from '../format/format.ts';
import { Status } from './status.tsx';

interface FreshnessProps {
  readonly of: { readonly dataUpdatedAt: number; readonly failureCount: number; readonly isPaused: boolean };
}

/** Says that what a page shows is old, while it cannot be read again. */
export function Freshness({ of: { dataUpdatedAt, failureCount, isPaused } }: FreshnessProps) {
  if (dataUpdatedAt === 0 || (failureCount === 0 && !isPaused)) return null;
  return <Status kind="warn">as of {formatTime(dataUpdatedAt, 'local').slice(11)}, reconnecting</Status>;
}
