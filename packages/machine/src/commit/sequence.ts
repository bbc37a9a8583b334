/** Sequence numbers of producers: 0 to 2^31 - 1, then 0 again. */
const sequenceMax = 2 ** 31 - 1;

export function nextSequence(sequence: number): number {
  return sequence === sequenceMax ? 0 : sequence + 1;
}

/** Returns the sequence of the last of `recordCount` records. */
export function lastSequence(baseSequence: number, recordCount: number): number {
  return (baseSequence + recordCount - 1) % (sequenceMax + 1);
}

/** Returns the number of records from the first to the last sequence. */
export function sequenceCount(baseSequence: number, last: number): number {
  return ((last - baseSequence + sequenceMax + 1) % (sequenceMax + 1)) + 1;
}
