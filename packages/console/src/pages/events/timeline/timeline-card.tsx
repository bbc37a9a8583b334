import { lazy, Suspense } from 'react';
import { formatDuration } from '../../../format/format.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Card } from '../../../ui/page.tsx';
import { Failure } from '../../../ui/states.tsx';
import type { Explorer } from '../state/use-explorer.ts';
import { rangeBetween } from '../time/range-label.ts';
import { TimelineControls } from './timeline-controls.tsx';
import { timelineSeries } from './timeline-series.ts';
import { TimelineTable } from './timeline-table.tsx';

const Chart = lazy(async () => ({ default: (await import('../../../ui/chart.tsx')).Chart }));

const msPerSecond = 1_000;

/** The events over time. Dragging over the chart zooms into a part of it. */
export function TimelineCard({ explorer }: { readonly explorer: Explorer }) {
  const { state, searches } = explorer;
  const { answer, isOld, error } = searches.timeline;
  const isCount = state.aggregation === 'count';
  const { timesMs, series } =
    answer === undefined
      ? { timesMs: [], series: [] }
      : timelineSeries(answer.timeline, { isCount, isGrouped: state.groupBy !== '' });
  const bucketMs = (answer?.timeline.bucket_seconds ?? 0) * msPerSecond;
  return (
    <Card title="Timeline" actions={<TimelineControls explorer={explorer} />}>
      {error !== undefined && <Failure what="chart the events" error={error} />}
      <div className={classNames('min-h-48 px-2 pt-2', isOld && 'opacity-60')}>
        {state.chart === 'table' ? (
          <TimelineTable timesMs={timesMs} series={series} zone={state.zone} />
        ) : (
          timesMs.length > 0 && (
            <Suspense fallback={<div className="h-48" />}>
              <Chart
                label={`Events over time${state.groupBy === '' ? '' : ` by ${state.groupBy}`}, ${series.length} series`}
                kind={state.chart === 'lines' ? 'lines' : 'bars'}
                timesMs={timesMs}
                series={series}
                zone={state.zone}
                onZoom={(fromMs, toMs) => explorer.search({ range: rangeBetween(fromMs, toMs, bucketMs) })}
              />
            </Suspense>
          )
        )}
      </div>
      {answer !== undefined && (
        <p className="px-4 pb-2 text-xs text-muted">
          {timesMs.length === 0 ? 'Nothing to chart' : `One point per ${formatDuration(bucketMs)}`}
          {timesMs.length > 0 && state.chart !== 'table' && ' · drag to zoom'}
          {answer.timeline.is_approximate && ' · so many values that the series are about right only'}
        </p>
      )}
    </Card>
  );
}
