import type { Pattern, UsablePattern } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import { compileTopicPattern } from './topic-pattern.ts';

interface PatternScansOptions {
  readonly clock: Clock;
  /** The names of all topics. Topics that are created during an iteration may or may not be included. */
  readonly names: () => Iterable<string>;
  /** A scan has finished. */
  readonly onMatched: (groupId: string, expression: string, names: Set<string>) => void;
}

interface Scan {
  readonly groupId: string;
  readonly expression: string;
  readonly pattern: UsablePattern;
  readonly rest: Iterator<string>;
  /** Topics that were created meanwhile, matched at the end. */
  readonly late: Set<string>;
  readonly found: Set<string>;
}

/** Patterns may use one part in this many of the leader's time. */
const timeParts = 8;
/** The unused time that can accumulate, so that small clusters never wait. */
const savedMsMax = 50;
/** A slice blocks the event loop, so it is no longer than a commit may take. */
const sliceMsMax = 10;
/** A shorter slice costs more in timers than it gains. */
const sliceMsMin = 5;

/**
 * Finds the topics that patterns of groups match. A client chooses the pattern and how often it changes, and one scan
 * of all topics of a large cluster can take from a tenth of a second to minutes. So patterns have a fixed share of the
 * leader's time and are matched in slices, group by group in turn. One scan per group: a group that changes its pattern
 * meanwhile starts again.
 */
export class PatternScans {
  readonly #options: PatternScansOptions;
  /** In round-robin order. */
  readonly #scans = new Map<string, Scan>();
  #savedMs = savedMsMax;
  #savedAtMs: number;
  #cancel: (() => void) | undefined;

  constructor(options: PatternScansOptions) {
    this.#options = options;
    this.#savedAtMs = options.clock.monotonicMs();
  }

  /** Compiles a client's expression; `busy` if too many were compiled recently. */
  compile(expression: string): Pattern | 'busy' {
    if (this.#saved() < -savedMsMax) return 'busy';
    return this.#spend(() => compileTopicPattern(expression));
  }

  /** The topics that a pattern matches; `undefined` if `onMatched` delivers them later. */
  matching(groupId: string, expression: string, pattern: UsablePattern): Set<string> | undefined {
    if (this.#scans.get(groupId)?.expression === expression) return undefined;
    const found = new Set<string>();
    const rest = this.#options.names()[Symbol.iterator]();
    const scan = { groupId, expression, pattern, rest, late: new Set<string>(), found };
    if (this.#scans.size === 0 && this.#saved() > 0 && this.#slice(scan)) return found;
    // A group that starts again retains its turn.
    this.#scans.set(groupId, scan);
    this.#schedule();
    return undefined;
  }

  /** Returns whether a pattern matches a topic; `undefined` if no time is left for it now. */
  matchesNow(pattern: UsablePattern, name: string): boolean | undefined {
    return this.#saved() > 0 ? this.#spend(() => pattern.matches(name)) : undefined;
  }

  /** Handles topics that were created or deleted. */
  onTopics(names: readonly string[], isThere: (name: string) => boolean): void {
    for (const { late, found } of this.#scans.values()) {
      for (const name of names) {
        if (isThere(name)) late.add(name);
        else {
          late.delete(name);
          found.delete(name);
        }
      }
    }
  }

  close(): void {
    this.#cancel?.();
    this.#scans.clear();
  }

  #schedule(): void {
    if (this.#cancel !== undefined || this.#scans.size === 0) return;
    const waitMs = Math.max(0, sliceMsMin - this.#saved()) * timeParts;
    this.#cancel = this.#options.clock.after(Math.ceil(waitMs), () => {
      this.#cancel = undefined;
      this.#next();
      this.#schedule();
    });
  }

  #next(): void {
    for (const scan of this.#scans.values()) {
      const { groupId, expression, found } = scan;
      this.#scans.delete(groupId);
      if (this.#slice(scan)) this.#options.onMatched(groupId, expression, found);
      else this.#scans.set(groupId, scan);
      return;
    }
  }

  /** Runs one slice; true when the scan is finished. */
  #slice(scan: Scan): boolean {
    const { clock } = this.#options;
    const { pattern, found } = scan;
    return this.#spend(() => {
      const endMs = clock.monotonicMs() + sliceMsMax;
      for (let steps = 0; ; ) {
        const name = nextName(scan);
        if (name === undefined) return true;
        if (pattern.matches(name)) found.add(name);
        // One name can take as long as a slice, or a thousandth of it.
        steps += pattern.cost * (name.length + 1);
        if (steps < clusterLimits.patternStepsPerTurn) continue;
        steps = 0;
        if (clock.monotonicMs() >= endMs) return false;
      }
    });
  }

  #spend<Result>(work: () => Result): Result {
    this.#saved();
    const startMs = this.#options.clock.monotonicMs();
    const result = work();
    this.#savedMs -= this.#options.clock.monotonicMs() - startMs;
    return result;
  }

  /** The time budget of patterns; negative if they have used more than their share. */
  #saved(): number {
    const nowMs = this.#options.clock.monotonicMs();
    this.#savedMs = Math.min(savedMsMax, this.#savedMs + (nowMs - this.#savedAtMs) / timeParts);
    this.#savedAtMs = nowMs;
    return this.#savedMs;
  }
}

function nextName({ rest, late }: Scan): string | undefined {
  const { done, value } = rest.next();
  if (done !== true) return value;
  for (const name of late) {
    late.delete(name);
    return name;
  }
  return undefined;
}
