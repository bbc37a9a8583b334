import type { Random } from '@weir/core';
import { longestTurnMs, turnMsMax } from '@weir/core/testing';

/** How large each part of an input is: a number of names, a depth, a length. */
export type Sizes = Readonly<Record<string, number>>;

/** A hostile input that grows in one or more dimensions. */
export interface Seed {
  readonly name: string;
  readonly sizes: Sizes;
  /** The bytes that a client sends. */
  build(sizes: Sizes): Buffer;
}

export interface Finding {
  readonly seed: string;
  readonly sizes: Sizes;
  readonly bytes: number;
  /** The longest turn of the serving thread, in milliseconds of processor time. */
  readonly ms: number;
}

interface SearchOptions {
  readonly seeds: readonly Seed[];
  /** Sends the bytes of a seed, and returns the longest turn of the serving thread until they are answered. */
  readonly measure: (bytes: Buffer, seed: string) => Promise<number>;
  readonly random: Random;
  /** Whether there is time for another input. */
  readonly isOver: () => boolean;
  readonly bytesMax: number;
  readonly limitMs?: number;
}

interface Climb {
  readonly seed: Seed;
  sizes: Sizes;
  ms: number;
  /** Whether no dimension can grow further. */
  isDone: boolean;
}

/**
 * Searches for inputs that are expensive for their size: it doubles the dimension of a seed that costs the most, again
 * and again, all seeds in turn, and then mutates the most expensive inputs. Returns the worst input of each seed; costs
 * above the limit are the smallest of several measurements.
 */
export async function searchCosts(options: SearchOptions): Promise<Finding[]> {
  const { seeds, random, isOver, bytesMax, limitMs = turnMsMax } = options;
  const worst = new Map<string, Finding>();
  const climbs: Climb[] = [];
  for (const seed of seeds) {
    climbs.push({ seed, sizes: seed.sizes, ms: (await tried(seed, seed.sizes)) ?? 0, isDone: false });
  }
  while (!isOver()) {
    const open = climbs.filter(({ isDone, seed }) => !isDone && !isTooMuch(seed.name));
    if (open.length === 0) break;
    for (const climb of open) await climbed(climb);
  }
  while (!isOver()) {
    const ranked = [...climbs].filter(({ seed }) => !isTooMuch(seed.name)).sort((a, b) => b.ms - a.ms);
    const climb = ranked[random.below(Math.min(3, ranked.length))];
    if (climb === undefined) break;
    const mutated = mutatedSizes(climb.sizes, random);
    const ms = await tried(climb.seed, mutated);
    if (ms === undefined || ms <= climb.ms) continue;
    climb.sizes = mutated;
    climb.ms = ms;
  }
  return [...worst.values()].sort((a, b) => b.ms - a.ms);

  function isTooMuch(name: string): boolean {
    return (worst.get(name)?.ms ?? 0) > limitMs;
  }

  async function climbed(climb: Climb): Promise<void> {
    let best: { readonly sizes: Sizes; readonly ms: number } | undefined;
    for (const dimension of Object.keys(climb.sizes)) {
      if (isOver()) return;
      const sizes = { ...climb.sizes, [dimension]: climb.sizes[dimension]! * 2 };
      const ms = await tried(climb.seed, sizes);
      if (ms !== undefined && (best === undefined || ms > best.ms)) best = { sizes, ms };
    }
    if (best === undefined) climb.isDone = true;
    else Object.assign(climb, best);
  }

  /** Returns nothing if the input is too large. */
  async function tried(seed: Seed, sizes: Sizes): Promise<number | undefined> {
    const bytes = seed.build(sizes);
    if (bytes.length > bytesMax) return undefined;
    const ms = await longestTurnMs(() => options.measure(bytes, seed.name), { limitMs });
    if (ms > (worst.get(seed.name)?.ms ?? -1))
      worst.set(seed.name, { seed: seed.name, sizes, bytes: bytes.length, ms });
    return ms;
  }
}

function mutatedSizes(sizes: Sizes, random: Random): Sizes {
  const factors = [0.5, 0.75, 1, 1.25, 1.5, 2];
  return Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [
      name,
      Math.max(1, Math.floor(size * factors[random.below(factors.length)]!)),
    ]),
  );
}
