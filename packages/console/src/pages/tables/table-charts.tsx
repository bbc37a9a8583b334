import { useMetrics, valuesOf } from '../../api/use-metrics.ts';
import { formatBytes, formatShort } from '../../format/format.ts';
import { type ChartRange, secondsOf, wordsOf } from '../../ui/chart-range.ts';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { lagQuery, rateQuery } from './table-metrics.ts';
import { lagText } from './table-words.ts';

interface TableChartsProps {
  /** One table by its name; without it, all tables of the cluster. */
  readonly table?: string;
  readonly range: ChartRange;
}

/** How far a table is behind, and how fast it grows. Of a cluster: its tables that are farthest behind, and all. */
export function TableCharts({ table, range }: TableChartsProps) {
  const lag = useMetrics(lagQuery(table, secondsOf(range)));
  const rates = useMetrics(rateQuery(table, secondsOf(range)));
  const nothing = `No samples in the ${wordsOf(range)}. While ${
    table === undefined ? 'a table' : 'the table'
  } is written, there is one every ten seconds.`;
  const pick =
    (name: 'lag' | 'lag_seconds', label: string): Parameters<typeof MetricChart>[0]['pick'] =>
    ({ series }) =>
      series
        .filter(({ metric }) => metric === name)
        .map(({ table: of = label, values }) => ({ label: table === undefined ? of : label, values }));
  return (
    <>
      <MetricChart
        title={`Lag of readers, ${wordsOf(range)}`}
        of={lag}
        format={lagText}
        nothing={nothing}
        pick={pick('lag_seconds', 'lag')}
      />
      <MetricChart
        title={`Records behind, ${wordsOf(range)}`}
        of={lag}
        format={formatShort}
        nothing={nothing}
        pick={pick('lag', 'records')}
      />
      <MetricChart
        title={`Records per second, ${wordsOf(range)}`}
        of={rates}
        format={formatShort}
        nothing={nothing}
        pick={(data) => [
          { label: 'read', values: valuesOf(data, 'in_records_per_second') },
          { label: 'rows committed', values: valuesOf(data, 'out_records_per_second') },
        ]}
      />
      <MetricChart
        title={`Bytes of rows per second, ${wordsOf(range)}`}
        of={rates}
        format={formatBytes}
        unit="bytes"
        nothing={nothing}
        pick={(data) => [{ label: 'uncompressed', values: valuesOf(data, 'out_bytes_per_second') }]}
      />
    </>
  );
}
