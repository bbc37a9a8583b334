import type { Pattern, UsablePattern } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import { compileTopicPattern } from './topic-pattern.ts';

interface PatternScansOptions {
  readonly clock: Clock;
  /** The names of all topics. Those that come while somebody goes through them are seen or not. */
  readonly names: () => Iterable<string>;
  /** A scan has come to its end. */
  readonly onMatched: (groupId: string, expression: string, names: Set<string>) => void;
}

interface Scan {
  readonly groupId: string;
  readonly expression: string;
  readonly pattern: UsablePattern;
  readonly rest: Iterator<string>;
  /** Topics that came meanwhile, to be looked at in the end. */
  readonly late: Set<string>;
  readonly found: Set<string>;
}

/** Patterns may have one part of so many of the leader's time. */
const timeParts = 8;
/** Time that was not used is good for so much at once, so that small clusters never wait. */
const savedMsMax = 50;
/** Nothing else happens meanwhile, so that it is no longer than a commit may take. */
const sliceMsMax = 10;
/** A slice that is shorter costs more in timers than it brings. */
const sliceMsMin = 5;

/**
 * Finds the topics that patterns of groups match. A client chooses the pattern and how often it chooses another, and one look at
 * all topics of a large cluster can take from a tenth of a second to minutes; so patterns have a share of the leader's time,
 * whatever clients do, and are matched in slices, group by group in turn. One scan per group: who changes its pattern
 * meanwhile begins again.
 */
export class PatternScans {
  readonly #options: PatternScansOptions;
  /** In the order of their turns. */
  readonly #scans = new Map<string, Scan>();
  #savedMs = savedMsMax;
  #savedAtMs: number;
  #cancel: (() => void) | undefined;

  constructor(options: PatternScansOptions) {
    this.#options = options;
    this.#savedAtMs = options.clock.monotonicMs();
  }

  /** A pattern from what a client wrote; `busy` when that has to wait, because too many were compiled lately. */
  compile(expression: string): Pattern | 'busy' {
    if (this.#saved() < -savedMsMax) return 'busy';
    return this.#spend(() => compileTopicPattern(expression));
  }

  /** The topics that a pattern matches; `undefined` when `onMatched` tells them later. */
  matching(groupId: string, expression: string, pattern: UsablePattern): Set<string> | undefined {
    if (this.#scans.get(groupId)?.expression === expression) return undefined;
    const found = new Set<string>();
    const rest = this.#options.names()[Symbol.iterator]();
    const scan = { groupId, expression, pattern, rest, late: new Set<string>(), found };
    if (this.#scans.size === 0 && this.#saved() > 0 && this.#slice(scan)) return found;
    // A group that begins again keeps its turn.
    this.#scans.set(groupId, scan);
    this.#schedule();
    return undefined;
  }

  /** Whether a pattern matches a topic; `undefined` when there is no time left for it now. */
  matchesNow(pattern: UsablePattern, name: string): boolean | undefined {
    return this.#saved() > 0 ? this.#spend(() => pattern.matches(name)) : undefined;
  }

  /** Topics of these names came or went. */
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

  /** Goes on for a while; true when it is done. */
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

  /** The time that patterns may take now; less than nothing when they have taken more than theirs. */
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
