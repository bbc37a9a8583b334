import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UsablePattern } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import { PatternScans } from './pattern-scans.ts';

/** A pattern of this cost makes the scan read the clock after every name. */
const dear = clusterLimits.patternStepsPerTurn;

/** Time that advances by work, and by waiting for the next timer. */
class WorkClock implements Clock {
  ms = 1_000;
  workedMs = 0;
  longestMs = 0;
  #timers: { atMs: number; run: () => void }[] = [];

  nowMs = () => this.ms;
  monotonicMs = () => this.ms;

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.ms + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  work(ms: number): void {
    this.ms += ms;
    this.workedMs += ms;
  }

  /** Runs the next timer; false if there is none. */
  next(): boolean {
    const timer = this.#timers.sort((a, b) => a.atMs - b.atMs).shift();
    if (timer === undefined) return false;
    this.ms = Math.max(this.ms, timer.atMs);
    const beforeMs = this.workedMs;
    timer.run();
    this.longestMs = Math.max(this.longestMs, this.workedMs - beforeMs);
    return true;
  }
}

function world(topicCount: number) {
  const clock = new WorkClock();
  const topics = new Map(Array.from({ length: topicCount }, (_, number) => [`t${number}`, true]));
  const reported: string[] = [];
  const scans = new PatternScans({
    clock,
    names: () => topics.keys(),
    onMatched: (groupId, expression, names) => reported.push(`${groupId} ${expression} ${names.size}`),
  });
  /** A pattern that matches names with this ending and takes the given time per name. */
  const ending = (end: string, costMs: number): UsablePattern => ({
    problem: undefined,
    cost: dear,
    matches(name) {
      clock.work(costMs);
      return name.endsWith(end);
    },
  });
  return { clock, topics, reported, scans, ending };
}

test('cheap patterns are matched at once', () => {
  const { scans, ending, reported, clock } = world(1_000);
  for (let count = 0; count < 20; count++) {
    assert.equal(scans.matching(`g${count}`, '.*7', ending('7', 0.0015))?.size, 100);
  }
  assert.equal(clock.next(), false, 'no scan is left');
  assert.deepEqual(reported, []);
});

test('expensive patterns are matched in slices, within their share of the time', () => {
  const { scans, ending, reported, clock } = world(10_000);
  assert.equal(scans.matching('g', '.*7', ending('7', 0.5)), undefined);
  assert.equal(scans.matching('g', '.*7', ending('7', 0.5)), undefined, 'a repeated request has no effect');
  const startMs = clock.ms;
  const workedBeforeMs = clock.workedMs;
  while (clock.next());
  assert.deepEqual(reported, ['g .*7 1000']);
  assert.ok(clock.longestMs <= 10 + 0.5, `${clock.longestMs} ms without a break`);
  const share = (clock.workedMs - workedBeforeMs) / (clock.ms - startMs);
  assert.ok(share < 0.2, `${share} of the time`);
});

test('groups are scanned in turn, and a group that changes its pattern starts again', () => {
  const { scans, ending, reported, clock } = world(2_000);
  scans.matching('greedy', '0', ending('0', 1));
  scans.matching('modest', '.*7', ending('7', 0.1));
  for (let change = 1; clock.next() && reported.length === 0; change++) {
    scans.matching('greedy', String(change), ending('0', 1));
  }
  assert.deepEqual(reported, ['modest .*7 200']);
  while (clock.next());
  assert.equal(reported.length, 2);
  assert.match(reported[1]!, /^greedy \d+ 200$/);
});

test('topics that are created or deleted during a scan are found at any position', () => {
  const { scans, ending, reported, clock, topics } = world(1_000);
  scans.matching('g', '.*7', ending('7', 1));
  clock.next();
  topics.delete('t7');
  topics.delete('t997');
  topics.set('new-7', true).set('new-8', true);
  scans.onTopics(['t7', 't997', 'new-7', 'new-8'], (name) => topics.has(name));
  while (clock.next());
  assert.deepEqual(reported, ['g .*7 99']);
});

test('compiling counts against the time of patterns and is limited', () => {
  const { scans, clock } = world(1);
  assert.equal((scans.compile('(') as { problem?: string }).problem === undefined, false);
  const compiled = scans.compile('t.');
  assert.ok(compiled !== 'busy' && compiled.problem === undefined && compiled.matches('t0'));
  const slow: UsablePattern = {
    problem: undefined,
    cost: 1,
    matches() {
      clock.work(200);
      return true;
    },
  };
  assert.equal(scans.matching('g', 'slow', slow)?.size, 1);
  assert.equal(scans.compile('t.'), 'busy');
  clock.ms += 8 * 200;
  assert.notEqual(scans.compile('t.'), 'busy');
});

test('a name that takes longer than a slice is the only one of its slice', () => {
  const { scans, ending, clock } = world(3);
  scans.matching('g', '.*', ending('', 40));
  assert.equal(clock.workedMs, 40);
  while (clock.next());
  assert.equal(clock.workedMs, 3 * 40);
  assert.equal(clock.longestMs, 40);
});

test('new topics cost no more than the time of patterns, for any number of patterns', () => {
  const { scans, ending, clock, topics } = world(100);
  const pattern = ending('7', 20);
  const answers = Array.from({ length: 1_000 }, () => scans.matchesNow(pattern, 't7'));
  assert.deepEqual(new Set(answers), new Set([true, undefined]));
  assert.ok(clock.workedMs <= 50 + 20, `${clock.workedMs} ms`);

  for (let group = 0; group < 1_000; group++) scans.matching(`g${group}`, '.*7', pattern);
  const workedMs = clock.workedMs;
  topics.set('new-7', true);
  scans.onTopics(['new-7'], (name) => topics.has(name));
  assert.equal(clock.workedMs, workedMs, 'scans match the topic in their own turn');
  scans.close();
});

test('a closed scanner reports nothing', () => {
  const { scans, ending, reported, clock } = world(1_000);
  scans.matching('g', '.*', ending('', 1));
  scans.close();
  assert.equal(clock.next(), false);
  assert.deepEqual(reported, []);
});
