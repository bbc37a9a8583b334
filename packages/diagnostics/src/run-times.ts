/**
 * Returns the first run of a new cluster: at least half an interval later, when its agents have had time to report, and
 * then at a phase within the interval that its id determines. So a thousand clusters that start together, as at a
 * process start, are spread evenly.
 */
export function firstRunMs(clusterId: string, seenMs: number, intervalMs: number): number {
  return seenMs + intervalMs * (0.5 + shareOf(clusterId));
}

/**
 * Returns the run after one that was due at `dueMs`. A cluster that waited more than an interval does not run twice in
 * a row.
 */
export function nextRunMs(dueMs: number, nowMs: number, intervalMs: number): number {
  return Math.max(dueMs + intervalMs, nowMs + intervalMs / 2);
}

/** Maps a text to a number from 0 to 1, by FNV-1a. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The last steps of the hash affect only its lower bits, and ids often differ in their ends.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
