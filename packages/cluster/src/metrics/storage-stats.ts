import { requestKinds } from '../calls/agents/agent-report.ts';
import type { CombinedStats } from './combined-stats.ts';
import type { MeasuredPort } from './measured-cluster-view.ts';
import {
  deadFileBytes,
  deadFileCount,
  dirtyRatioMax,
  fileBytes,
  ingestedBytesPerSecond,
  requestsPerSecond,
  writeAmplification,
} from './storage-metrics.ts';
import { unlessRefused } from './unless-refused.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Adds what is stored, and what that costs in requests. */
export async function addStorageStats(port: MeasuredPort, stats: CombinedStats): Promise<void> {
  const totals = await unlessRefused(port.fileTotals());
  for (const [level, { bytes }] of (totals?.levels ?? []).entries())
    stats.add(fileBytes, { level: String(level) }, bytes);
  if (totals !== undefined) {
    stats.add(deadFileCount, {}, totals.deadFiles);
    stats.add(deadFileBytes, {}, totals.deadBytes);
  }
  const hour = await unlessRefused(port.storageTraffic(hourMs));
  if (hour !== undefined) {
    const perSecond = (amount: number) => (hour.spanMs > 0 ? (amount * 1000) / hour.spanMs : 0);
    stats.add(ingestedBytesPerSecond, {}, perSecond(hour.ingestedBytes));
    for (const { name, requests } of hour.buckets)
      for (const kind of requestKinds)
        stats.add(requestsPerSecond, { bucket: name, kind }, perSecond(requests[kind]));
    if (hour.dirtyRatioMax !== undefined) stats.add(dirtyRatioMax, {}, hour.dirtyRatioMax);
  }
  const day = await unlessRefused(port.storageTraffic(dayMs));
  if (day !== undefined && day.ingestedBytes > 0)
    stats.add(writeAmplification, {}, day.mergedBytes / day.ingestedBytes);
}
