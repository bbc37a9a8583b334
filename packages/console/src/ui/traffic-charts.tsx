import { type useMetrics, valuesOf } from '../api/use-metrics.ts';
import { formatBytes, formatShort } from '../format/format.ts';
import { MetricChart } from './metric-chart.tsx';

interface TrafficChartsProps {
  readonly of: ReturnType<typeof useMetrics>;
  readonly nothing: string;
  readonly noProduce: string;
}

/** The last hour of throughput and Produce latency, of a cluster or of one agent. */
export function TrafficCharts({ of, nothing, noProduce }: TrafficChartsProps) {
  return (
    <>
      <MetricChart
        title="Bytes per second, last hour"
        of={of}
        format={formatBytes}
        unit="bytes"
        nothing={nothing}
        pick={(data) => [
          { label: 'in', values: valuesOf(data, 'in_bytes_per_second') },
          { label: 'out', values: valuesOf(data, 'out_bytes_per_second') },
        ]}
      />
      <MetricChart
        title="Records per second, last hour"
        of={of}
        format={formatShort}
        nothing={nothing}
        pick={(data) => [
          { label: 'in', values: valuesOf(data, 'in_records_per_second') },
          { label: 'out', values: valuesOf(data, 'out_records_per_second') },
        ]}
      />
      <MetricChart
        title="Produce latency, last hour"
        of={of}
        format={(value) => `${formatShort(value)} ms`}
        nothing={noProduce}
        pick={(data) => [
          { label: 'p50', values: valuesOf(data, 'produce_latency_p50_ms') },
          { label: 'p99', values: valuesOf(data, 'produce_latency_p99_ms') },
        ]}
      />
    </>
  );
}
