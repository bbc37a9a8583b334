import { coreLimits } from '@weir/core';
import { isObject } from '../event-object.ts';
import { printPath } from '../filter/quoting.ts';
import type { Literal } from '../filter/tree.ts';
import { compareKeys } from './order.ts';
import type { FieldSummary } from './request.ts';

type ValueType = FieldSummary['types'][number];

interface Tally {
  readonly path: readonly string[];
  presentEvents: number;
  readonly types: Set<ValueType>;
  readonly events: Map<Literal, number>;
}

/**
 * Lists the fields of some events, the most frequent first. Objects are fields too, since a filter may check that they
 * exist.
 */
export function summarizeFields(events: Iterable<unknown>): FieldSummary[] {
  const tallies = new Map<string, Tally>();
  for (const event of events) {
    for (const [name, { path, values }] of fieldsOf(event)) {
      let tally = tallies.get(name);
      if (tally === undefined) {
        if (tallies.size >= coreLimits.eventFieldsMax) continue;
        tally = { path, presentEvents: 0, types: new Set(), events: new Map() };
        tallies.set(name, tally);
      }
      count(tally, values);
    }
  }
  return [...tallies.values()].map(summaryOf).sort(byPresence);
}

function count(tally: Tally, values: readonly unknown[]): void {
  tally.presentEvents++;
  for (const value of new Set(values)) {
    if (typeof value === 'object') {
      tally.types.add('object');
      continue;
    }
    tally.types.add(typeof value as ValueType);
    const known = tally.events.get(value as Literal);
    if (known === undefined && tally.events.size >= coreLimits.eventFieldDistinctMax) continue;
    tally.events.set(value as Literal, (known ?? 0) + 1);
  }
}

function summaryOf({ path, presentEvents, types, events }: Tally): FieldSummary {
  const topValues = [...events]
    .map(([value, times]) => ({ value, events: times }))
    .sort((one, other) => other.events - one.events || compareKeys(one.value, other.value))
    .slice(0, coreLimits.eventFieldValuesMax);
  return {
    path,
    name: printPath(path),
    presentEvents,
    types: [...types].sort(),
    topValues,
    distinctValues: events.size,
  };
}

function byPresence(one: FieldSummary, other: FieldSummary): number {
  return other.presentEvents - one.presentEvents || compareKeys(one.name, other.name);
}

/** Returns every path of an event that leads to a value, with all its values. */
function fieldsOf(event: unknown): Map<string, { path: readonly string[]; values: unknown[] }> {
  const found = new Map<string, { path: readonly string[]; values: unknown[] }>();
  visit(event, []);
  return found;

  function visit(value: unknown, path: readonly string[]): void {
    if (!isObject(value) || path.length >= coreLimits.filterPathKeysMax) return;
    for (const [key, inner] of Object.entries(value)) {
      const innerPath = [...path, key];
      for (const one of Array.isArray(inner) ? inner : [inner]) {
        if (one !== null) add(innerPath, one);
        visit(one, innerPath);
      }
    }
  }

  function add(path: readonly string[], value: unknown): void {
    const name = JSON.stringify(path);
    const known = found.get(name);
    if (known === undefined) found.set(name, { path, values: [value] });
    else known.values.push(value);
  }
}
