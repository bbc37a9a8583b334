import { nearestNames } from '@weir/core';
import type { Place, Report } from './problem.ts';
import { printPath } from './quoting.ts';

export type FieldCheck = (path: readonly string[], place: Place, report: Report) => void;

/** Unknown fields of one filter for which a similar name is searched: each is compared with all known ones. */
const suggestedMax = 5;

/**
 * Reports fields that are not among the known ones, which are in the syntax of filters: `data.operation`. A star at the
 * end, `data.tags.*`, covers everything within an object.
 */
export function fieldCheck(known: readonly string[] | undefined): FieldCheck {
  if (known === undefined) return () => {};
  const names = new Set(known.filter((name) => !name.endsWith('.*')));
  let unknownCount = 0;
  const open = known.filter((name) => name.endsWith('.*')).map((name) => name.slice(0, -1));
  return (path, place, report) => {
    const name = printPath(path);
    // A prefix of the path to a known field is an object, which may be compared with null.
    if (names.has(name) || known.some((field) => field.startsWith(`${name}.`))) return;
    if (open.some((object) => name.startsWith(object))) return;
    const nearest = unknownCount++ < suggestedMax ? nearestNames(name, names) : [];
    const advice = nearest.length === 0 ? '' : `; did you mean ${nearest.join(' or ')}?`;
    report(place, `no event has a field ${name}${advice}`, nearest[0]);
  };
}
