/**
 * Returns a copy for long-term use. The runtime allocates small buffers from a shared pool of 64 KiB, which lives as
 * long as any of them: a few bytes that are held for minutes would hold the whole pool, including what other callers
 * wrote there for a moment.
 */
export function retainedCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
