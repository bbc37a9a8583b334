import { nearestNames } from '@weir/core';
import type { Place, Report } from './problem.ts';
import { printPath } from './quoting.ts';

export type FieldCheck = (path: readonly string[], place: Place, report: Report) => void;

/** Fields of one filter for which a nearer name is looked for: each is held against all known ones. */
const suggestedMax = 5;

/**
 * Reports fields that are not among the known ones, which are written as in filters: `data.operation`. With a star at its end, `data.tags.*`, one
 * stands for everything within an object.
 */
export function fieldCheck(known: readonly string[] | undefined): FieldCheck {
  if (known === undefined) return () => {};
  const names = new Set(known.filter((name) => !name.endsWith('.*')));
  let unknownCount = 0;
  const open = known.filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -1));
  return (path, place, report) => {
    const name = printPath(path);
    // A part of the way to a known field is an object, which may be held against null.
    if (names.has(name) || known.some((field) => field.startsWith(`${name}.`))) return;
    if (open.some((object) => name.startsWith(object))) return;
    const nearest = unknownCount++ < suggestedMax ? nearestNames(name, names) : [];
    const advice = nearest.length === 0 ? '' : `; did you mean ${nearest.join(' or ')}?`;
    report(place, `no event has a field ${name}${advice}`, nearest[0]);
  };
}
