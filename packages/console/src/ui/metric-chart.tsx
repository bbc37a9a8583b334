import type { ReactNode } from 'react';
import { type Metrics, timesOf } from '../api/use-metrics.ts';
import { Chart, type Series } from './chart.tsx';
import { Card } from './page.tsx';
import { sinceFirstSample } from './since-first-sample.ts';
import { Answer } from './states.tsx';

interface MetricChartProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly of: Parameters<typeof Answer<Metrics>>[0]['of'];
  /** Picks and names the series to draw. */
  readonly pick: (metrics: Metrics) => readonly Series[];
  readonly format: (value: number) => string;
  readonly unit?: 'count' | 'bytes';
  readonly nothing: string;
}

const heightPx = 180;

/** A card with a chart, which is as high while its data are missing. */
export function MetricChart({ title, actions, of, pick, format, unit = 'count', nothing }: MetricChartProps) {
  return (
    <Card title={title} actions={actions}>
      <div className="min-h-56 p-4">
        <Answer of={of} what={`read ${title}`} rows={4}>
          {(metrics) => {
            const { timesMs, series } = sinceFirstSample(timesOf(metrics), pick(metrics));
            return timesMs.length === 0 ? (
              <p className="text-muted">{nothing}</p>
            ) : (
              <Chart
                label={title}
                timesMs={timesMs}
                series={series}
                format={format}
                unit={unit}
                heightPx={heightPx}
              />
            );
          }}
        </Answer>
      </div>
    </Card>
  );
}
