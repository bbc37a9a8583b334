import { useSearch } from '@tanstack/react-router';
import { useMetrics, valuesOf } from '../../../api/use-metrics.ts';
import { formatBytes, formatShort } from '../../../format/format.ts';
import { secondsOf, wordsOf } from '../../../ui/chart-range.ts';
import { MetricChart } from '../../../ui/metric-chart.tsx';
import { RangedCharts } from '../../../ui/range-picker.tsx';

/** How fast a topic grows and is read, and how large it is. */
export function TopicCharts({ topic }: { readonly topic: string }) {
  const { range = '1h' } = useSearch({ from: '/frame/clusters/$clusterId/topics/$topic/' });
  const range_seconds = secondsOf(range);
  const growth = useMetrics({
    metrics: ['in_records_per_second', 'in_bytes_per_second', 'stored_bytes'],
    topic,
    range_seconds,
  });
  const reads = useMetrics({
    metrics: ['consumed_records_per_second'],
    group_by: 'group',
    topic,
    range_seconds,
    limit: 5,
  });
  const words = wordsOf(range);
  const nothing = `No samples in the ${words}. Charts begin with the first write, and are kept for the busiest topics.`;
  return (
    <RangedCharts range={range}>
      <MetricChart
        title={`Bytes written per second, ${words}`}
        of={growth}
        format={formatBytes}
        unit="bytes"
        nothing={nothing}
        pick={(data) => [{ label: 'in', values: valuesOf(data, 'in_bytes_per_second') }]}
      />
      <MetricChart
        title={`Records written per second, ${words}`}
        of={growth}
        format={formatShort}
        nothing={nothing}
        pick={(data) => [{ label: 'in', values: valuesOf(data, 'in_records_per_second') }]}
      />
      <MetricChart
        title={`Size, ${words}`}
        of={growth}
        format={formatBytes}
        unit="bytes"
        nothing={nothing}
        pick={(data) => [{ label: 'stored', values: valuesOf(data, 'stored_bytes') }]}
      />
      <MetricChart
        title={`Records read per second by group, ${words}`}
        of={reads}
        format={formatShort}
        nothing={`No group committed offsets of this topic in the ${words}.`}
        pick={({ series }) => series.map(({ group = '', values }) => ({ label: group, values }))}
      />
    </RangedCharts>
  );
}
