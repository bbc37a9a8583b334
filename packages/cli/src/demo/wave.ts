/** A day of the demo is short, so that charts show several of them. */
export const dayMs = 600_000;

/** The share of the average rate that comes and goes in the course of a day. */
const swing = 0.6;

/** The slow group reads this share of what is written on average: less than what is written at the quietest time. */
export const slowShare = 0.2;

/** The number of records due from the start until now: a rate that rises and falls around its average. */
export function recordsDue(recordsPerSecond: number, elapsedMs: number): number {
  const turn = (2 * Math.PI * elapsedMs) / dayMs;
  // The integral of 1 + swing * sin(turn): the demo begins with a rising rate.
  const waveMs = (swing * dayMs * (1 - Math.cos(turn))) / (2 * Math.PI);
  return Math.floor((recordsPerSecond * (elapsedMs + waveMs)) / 1000);
}
