import { formatRounded, formatTime } from '../../../format/format.ts';

interface TimelineTableProps {
  readonly timesMs: readonly number[];
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  readonly zone: 'local' | 'utc';
}

/** The same numbers as the chart, for reading and for screen readers. */
export function TimelineTable({ timesMs, series, zone }: TimelineTableProps) {
  return (
    <section
      aria-label="Timeline as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
      tabIndex={0}
      className="max-h-72 overflow-auto"
    >
      <table className="min-w-full text-xs tabular-nums">
        <thead className="sticky top-0 bg-surface text-muted">
          <tr>
            <th scope="col" className="px-2 py-1 text-left font-medium">
              Time
            </th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="px-2 py-1 text-right font-medium">
                <bdi>{label}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {timesMs.map((timeMs, at) => (
            <tr key={timeMs} className="border-t border-line">
              <th
                scope="row"
                className="px-2 py-0.5 text-left font-mono font-normal whitespace-nowrap text-body"
              >
                {formatTime(timeMs, zone)}
              </th>
              {series.map(({ label, values }) => (
                <td key={label} className="px-2 text-right text-ink">
                  {cell(values[at])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function cell(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : formatRounded(value);
}
