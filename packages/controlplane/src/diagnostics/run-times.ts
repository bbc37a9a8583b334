/**
 * When a cluster is looked at that came into sight just now: half an interval later at the earliest, when its agents
 * have had time to report, and then at a moment of its own within an interval, which its id says. So a thousand
 * clusters that come together, as they do when a process starts, are looked at evenly from then on.
 */
export function firstRunMs(clusterId: string, seenMs: number, intervalMs: number): number {
  return seenMs + intervalMs * (0.5 + shareOf(clusterId));
}

/**
 * The one after a look that was due at `dueMs`. Who was kept waiting for more than an interval does not come twice in a
 * row.
 */
export function nextRunMs(dueMs: number, nowMs: number, intervalMs: number): number {
  return Math.max(dueMs + intervalMs, nowMs + intervalMs / 2);
}

/** A number from 0 to 1 that the text decides, by FNV-1a. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The last steps of the hash reach its lower bits only, and ids often differ in their ends.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
