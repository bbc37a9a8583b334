import { XIcon } from '@primer/octicons-react';
import { formatCount, formatDuration, formatShort, formatTime } from '../../../format/format.ts';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../../ui/states.tsx';
import { comparedOf } from '../state/explorer-state.ts';
import type { Explorer } from '../state/use-explorer.ts';
import { type Difference, differenceLabel } from './rank-differences.ts';
import { type Comparison, useComparison } from './use-comparison.ts';

const rowsMax = 25;
const valueCharsMax = 120;

/** What is different in a part of the time, compared with the rest of it. */
export function CompareCard({ explorer }: { readonly explorer: Explorer }) {
  const { data, error, refetch, isFetching } = useComparison(explorer);
  const { compare, zone } = explorer.state;
  const part = comparedOf(compare);
  if (part === undefined) return null;
  const [start, end] = [formatTime(part.startMs, zone), formatTime(part.endMs, zone)];
  return (
    <Card
      title={`${start} – ${end.slice(11)} compared with the baseline`}
      actions={
        <IconButton icon={XIcon} label="Close comparison" onClick={() => explorer.show({ compare: '' })} />
      }
    >
      {error !== null && <Failure what="compare the events" error={error} onRetry={() => void refetch()} />}
      {data !== undefined ? (
        <Differences explorer={explorer} comparison={data} />
      ) : isFetching ? (
        <Skeleton />
      ) : (
        error === null && <Empty title="Comparison stopped">Select a part of the timeline again.</Empty>
      )}
    </Card>
  );
}

interface DifferencesProps {
  readonly explorer: Explorer;
  readonly comparison: Comparison;
}

function Differences({ explorer, comparison }: DifferencesProps) {
  const { differences, selectedEvents, restEvents } = comparison;
  const shown = differences.slice(0, rowsMax);
  return (
    <>
      {shown.length === 0 ? (
        <Empty title="No field differs">
          {selectedEvents === 0 || restEvents === 0
            ? 'The selection or the baseline has no events. Select another part, or choose a longer time range.'
            : 'All values are about as frequent in the selection as in the baseline.'}
        </Empty>
      ) : (
        <section
          aria-label="Differences"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
          tabIndex={0}
          className="max-h-96 overflow-auto"
        >
          <table className="w-full text-xs tabular-nums">
            <thead className="sticky top-0 bg-surface text-muted">
              <tr>
                {['Field', 'Value'].map((title) => (
                  <th key={title} scope="col" className="px-4 py-1.5 text-left font-medium">
                    {title}
                  </th>
                ))}
                {['Selection', 'Baseline', 'Difference'].map((title) => (
                  <th
                    key={title}
                    scope="col"
                    className="px-4 py-1.5 text-right font-medium whitespace-nowrap"
                  >
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <DifferenceRow
                  key={`${one.field} ${typeof one.value} ${one.value}`}
                  explorer={explorer}
                  difference={one}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p className="border-t border-line px-4 py-2 text-xs text-muted">{receiptOf(comparison)}</p>
    </>
  );
}

function DifferenceRow({
  explorer,
  difference,
}: {
  readonly explorer: Explorer;
  readonly difference: Difference;
}) {
  const { field, value, selected, rest, selectedShare, restShare } = difference;
  const shown = value === null ? '(none)' : visibleText(cutText(String(value), valueCharsMax)) || '(empty)';
  return (
    <tr className="border-t border-line hover:bg-hover">
      <td className="px-4 py-1 font-mono whitespace-nowrap text-body">
        <bdi>{visibleText(field)}</bdi>
      </td>
      <td className="max-w-80 px-2 py-1">
        {value === null ? (
          <span className="px-2 text-muted">{shown}</span>
        ) : (
          <span className="flex items-center gap-1">
            <button
              type="button"
              title={`Only events with ${shown}`}
              onClick={() => explorer.addCondition(field, '==', value)}
              className="min-w-0 truncate rounded px-2 py-0.5 text-left text-ink hover:underline"
            >
              <bdi>{shown}</bdi>
            </button>
            <button
              type="button"
              aria-label={`Without ${shown}`}
              title={`Without ${shown}`}
              onClick={() => explorer.addCondition(field, '!=', value)}
              className="size-6 shrink-0 rounded font-mono text-muted hover:text-ink"
            >
              ≠
            </button>
          </span>
        )}
      </td>
      <Share count={selected} share={selectedShare} />
      <Share count={rest} share={restShare} />
      <td className="px-4 py-1 text-right font-medium whitespace-nowrap text-ink">
        {differenceLabel(difference)}
      </td>
    </tr>
  );
}

function Share({ count, share }: { readonly count: number; readonly share: number }) {
  return (
    <td className="px-4 py-1 text-right whitespace-nowrap text-body">
      {formatCount(count)} <span className="inline-block w-12 text-muted">{percentOf(share)}</span>
    </td>
  );
}

function percentOf(share: number): string {
  const percent = share * 100;
  return `${percent > 0 && percent < 1 ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** What was compared, and what was not. */
function receiptOf(comparison: Comparison): string {
  const { differences, selectedEvents, restEvents, countedFields, fields, scanned, ms } = comparison;
  return [
    `counted ${formatCount(selectedEvents)} events of the selection and ${formatCount(restEvents)} of the baseline`,
    `in ${countedFields} of ${fields} fields, those that differ most in a sample of the newest events`,
    `insignificant differences omitted`,
    differences.length > rowsMax ? `showing the ${rowsMax} most significant of ${differences.length}` : '',
    comparison.hasOther ? 'only the 50 most frequent values of a field are compared' : '',
    comparison.isPartial ? 'incomplete: a search reached its limit' : '',
    `scanned ${formatShort(scanned)}, ${formatDuration(ms)}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}
