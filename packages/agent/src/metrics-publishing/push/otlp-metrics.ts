import { type MetricReading, type MetricRow, release, type SeriesReading } from '@weir/core';
import { type PushedName, type Tags, taggedWith } from './pushed-metrics.ts';

/**
 * Metrics as the JSON of an OTLP ExportMetricsServiceRequest, in which 64-bit integers are strings and keys are in
 * camel case.
 *
 * Counters and histograms are cumulative from `startMs` on, so a lost push costs nothing: the next one contains its
 * values.
 */
interface OtlpMetricsOptions {
  readonly name: PushedName;
  /** On every point, because many stores drop attributes of the resource. */
  readonly tags: Tags;
  readonly startMs: number;
  readonly nowMs: number;
  readonly pointsMax: number;
}

interface OtlpMetric {
  readonly name: string;
  readonly description: string;
  readonly gauge?: { readonly dataPoints: readonly object[] };
  readonly sum?: {
    readonly dataPoints: readonly object[];
    readonly aggregationTemporality: number;
    readonly isMonotonic: boolean;
  };
  readonly histogram?: { readonly dataPoints: readonly object[]; readonly aggregationTemporality: number };
}

const cumulative = 2;

/** Yields request bodies, each with at most `pointsMax` points. */
export function* otlpRequests(
  readings: readonly MetricReading[],
  options: OtlpMetricsOptions,
): Generator<object, void, undefined> {
  let metrics: OtlpMetric[] = [];
  let room = options.pointsMax;
  for (const { row, series } of readings) {
    for (let at = 0; at < series.length; ) {
      const part = series.slice(at, at + room);
      metrics.push(otlpMetric(row, part, options));
      at += part.length;
      room -= part.length;
      if (room > 0) continue;
      yield requestOf(metrics, options.tags);
      metrics = [];
      room = options.pointsMax;
    }
  }
  if (metrics.length > 0) yield requestOf(metrics, options.tags);
}

function requestOf(metrics: readonly OtlpMetric[], tags: Tags): object {
  const resource = attributes({
    'service.name': 'weir',
    'service.version': release,
    'service.instance.id': tags.agent_id ?? '',
  });
  const scopeMetrics = [{ scope: { name: 'weir', version: release }, metrics }];
  return { resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics }] };
}

function otlpMetric(
  row: MetricRow,
  series: readonly SeriesReading[],
  { name, tags, startMs, nowMs }: OtlpMetricsOptions,
): OtlpMetric {
  const timeUnixNano = nanos(nowMs);
  const startTimeUnixNano = nanos(startMs);
  const described = { name: name(row.name), description: row.help };
  const attributesOf = ({ labels }: SeriesReading) => attributes(taggedWith(labels, tags));
  switch (row.kind) {
    case 'gauge':
      return {
        ...described,
        gauge: {
          dataPoints: series.map((one) => ({
            attributes: attributesOf(one),
            timeUnixNano,
            asDouble: one.value,
          })),
        },
      };
    case 'counter':
      return {
        ...described,
        sum: {
          aggregationTemporality: cumulative,
          isMonotonic: true,
          dataPoints: series.map((one) => ({
            attributes: attributesOf(one),
            startTimeUnixNano,
            timeUnixNano,
            asDouble: one.value,
          })),
        },
      };
    case 'histogram':
      return {
        ...described,
        histogram: {
          aggregationTemporality: cumulative,
          dataPoints: series.map((one) => ({
            attributes: attributesOf(one),
            startTimeUnixNano,
            timeUnixNano,
            count: String(one.counts.reduce((sum, count) => sum + count, 0)),
            sum: one.sum,
            bucketCounts: one.counts.map(String),
            explicitBounds: row.buckets ?? [],
          })),
        },
      };
  }
}

function attributes(values: Tags): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

function nanos(ms: number): string {
  return String(BigInt(Math.floor(ms)) * 1_000_000n);
}
