/** The only source of randomness, so that a run can be repeated from its seed. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [0, below). */
  below(below: number): number;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  below: (below) => Math.floor(Math.random() * below),
};

/** A small fast generator (mulberry32) that is fully determined by its seed. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }
  return { next, below: (below) => Math.floor(next() * below) };
}

/** 32 hex digits. Not a secret, but unique. */
export function randomId(random: Random): string {
  return Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
}
