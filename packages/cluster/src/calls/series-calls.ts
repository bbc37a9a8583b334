import { type SeriesMetricName, type SeriesTag, seriesMetricNames, seriesTags } from '@weir/core';
import * as s from '../shapes/shape.ts';
import { leaderCall } from './call.ts';

/** What a series is of; the whole cluster without any. */
export type SeriesTags = { readonly [Tag in SeriesTag]?: string | undefined };

const seriesQuery = s.struct({
  metrics: s.list(s.oneOf(...seriesMetricNames)),
  /** A multiple of the step. */
  fromMs: s.whole,
  stepMs: s.whole,
  count: s.whole,
  /** One series per value of this tag; `null` for one alone. */
  groupBy: s.nullable(s.oneOf(...seriesTags)),
  /** Only series of these. */
  tags: s.object<SeriesTags>({
    agent: s.optional(s.text),
    topic: s.optional(s.text),
    group: s.optional(s.text),
    pipeline: s.optional(s.text),
    table: s.optional(s.text),
  }),
  /** Series per metric. */
  seriesMax: s.whole,
});
export type SeriesQuery = s.TypeOf<typeof seriesQuery>;

export interface MetricSeries {
  readonly metric: SeriesMetricName;
  readonly tags: SeriesTags;
  /** One per step; NaN without a value. */
  readonly values: Float64Array;
}

export interface SeriesRead {
  readonly series: readonly MetricSeries[];
  /** Series beyond `seriesMax`. */
  readonly leftOut: number;
}

/** Of the last samples, which are some seconds old. */
export interface ClusterActivity {
  readonly groupCount: number;
  /** The lag of all groups; `null` before the first sample. */
  readonly totalLag: number | null;
  /** The groups with the largest lag, the largest first. */
  readonly groups: readonly GroupActivity[];
  /** Agents that went silent within the last hour and did not say that they leave. */
  readonly lostAgents: readonly { readonly agentId: string; readonly lastSeenMs: number }[];
}

export interface GroupActivity {
  readonly groupId: string;
  readonly lag: number;
  /** `null` until it was sampled twice. */
  readonly producedPerSecond: number | null;
  readonly consumedPerSecond: number | null;
}

/** Calls about what happened lately, which the leader has in memory. Leaders of earlier releases do not know them. */
export const seriesCalls = {
  readSeries: leaderCall<[query: SeriesQuery], SeriesRead>(s.tuple(seriesQuery), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
  describeActivity: leaderCall<[groupsMax: number], ClusterActivity>(s.tuple(s.whole), {
    membersOnly: true,
    onRetry: 'reexecute',
  }),
};
