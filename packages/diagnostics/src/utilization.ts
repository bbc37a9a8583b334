import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { controlPlaneUtilization } from '@weir/cluster';
import type { Clock, MetricRow } from '@weir/core';

export const utilizationRow: MetricRow<'cluster'> = controlPlaneUtilization;

/** The measured period; between this and one step more. */
const spanMs = 60_000;
const stepMs = 10_000;

export type MeasureLoop = (since?: EventLoopUtilization) => EventLoopUtilization;

const measureOwnLoop: MeasureLoop = (since) =>
  since === undefined ? performance.eventLoopUtilization() : performance.eventLoopUtilization(since);

/**
 * Measures how busy the event loop of this process was in the last minute, however often it is called: with a thousand
 * clusters that is many times per second. All clusters that a process leads share its loop, and so the value.
 */
export function measureUtilization(clock: Clock, measure: MeasureLoop = measureOwnLoop): () => number {
  /** The oldest first. */
  const marks = [{ atMs: clock.monotonicMs(), loop: measure() }];
  return () => {
    const nowMs = clock.monotonicMs();
    const { utilization } = measure(marks[0]!.loop);
    if (nowMs - marks.at(-1)!.atMs >= stepMs) marks.push({ atMs: nowMs, loop: measure() });
    while (marks.length > 1 && nowMs - marks[1]!.atMs >= spanMs) marks.shift();
    return Math.min(1, Math.max(0, utilization));
  };
}
