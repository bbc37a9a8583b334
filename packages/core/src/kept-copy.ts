/**
 * A copy that is to be kept. The runtime cuts small buffers out of a common piece of 64 KiB, which lives as long as any of them: a few bytes
 * that are kept for minutes would keep all of it, and with it what other callers wrote there for a moment.
 */
export function keptCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
