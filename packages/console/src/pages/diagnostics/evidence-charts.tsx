import { useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useMetrics } from '../../api/use-metrics.ts';
import { formatBytes, formatDuration, formatShort } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { type ChartRange, secondsOf, wordsOf } from '../../ui/chart-range.ts';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { RangedCharts } from '../../ui/range-picker.tsx';
import { chartsOf, type EvidenceChart } from './evidence/charts-of.ts';

interface EvidenceChartsProps {
  readonly of: OutputOf<'get_diagnostic'>['diagnostic'];
}

const formats: Readonly<Record<EvidenceChart['unit'], (value: number) => string>> = {
  number: formatShort,
  bytes: formatBytes,
  ms: formatDuration,
  seconds: (value) => formatDuration(value * 1_000),
  share: (value) => `${Math.round(value * 100)} %`,
};

/** What the findings are about, over time. */
export function EvidenceCharts({ of: diagnostic }: EvidenceChartsProps) {
  const { range = '1h' }: { range?: ChartRange | undefined } = useSearch({
    from: '/frame/clusters/$clusterId/diagnostics/$diagnosticId',
  });
  const charts = chartsOf(diagnostic);
  if (charts.length === 0) return null;
  return (
    <RangedCharts range={range} isWide={charts.length === 1}>
      {charts.map((chart) => (
        <OneChart key={chart.title} chart={chart} range={range} />
      ))}
    </RangedCharts>
  );
}

interface OneChartProps {
  readonly chart: EvidenceChart;
  readonly range: ChartRange;
}

function OneChart({ chart: { title, query, unit }, range }: OneChartProps) {
  const metrics = useMetrics({ ...query, range_seconds: secondsOf(range) });
  return (
    <MetricChart
      title={`${visibleText(title)}, ${wordsOf(range)}`}
      of={metrics}
      format={formats[unit]}
      nothing={`No samples in the ${wordsOf(range)}. Samples are kept for the busiest topics, and for groups and tables with the largest lag.`}
      pick={({ series }) =>
        series.map(({ metric, agent, topic, values }) => ({
          label: visibleText(agent ?? topic ?? seriesName(metric)),
          values,
        }))
      }
    />
  );
}

/** `produced_records_per_second` as `produced`. */
const seriesName = (metric: string) =>
  metric.replace(/_(?:records|bytes)_per_second$|_ms$|_seconds$/, '').replaceAll('_', ' ');
