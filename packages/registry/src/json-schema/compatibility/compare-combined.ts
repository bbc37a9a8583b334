import { registryLimits } from '../../limits.ts';
import { type Comparing, ComparisonTooLarge } from './comparing.ts';
import { maximumMatching } from './matching.ts';
import type { CombinedShape } from './shape.ts';

export function compareCombined(original: CombinedShape, update: CombinedShape, comparing: Comparing): void {
  const change = criterionChange(original, update);
  if (change !== undefined) comparing.add(change);
  if (change === 'COMBINED_TYPE_CHANGED') return;
  const before = original.distinct;
  const after = update.distinct;
  if (before.length < after.length)
    comparing.add(update.criterion === 'allOf' ? 'PRODUCT_TYPE_EXTENDED' : 'SUM_TYPE_EXTENDED');
  else if (before.length > after.length) {
    // Fewer of what all had to hold before is less to demand, whatever the update does with them.
    const isProduct = update.criterion === 'allOf' || original.criterion === 'allOf';
    comparing.add(isProduct ? 'PRODUCT_TYPE_NARROWED' : 'SUM_TYPE_NARROWED');
  }
  if (before.length * after.length > registryLimits.jsonComparisonPairsMax) throw new ComparisonTooLarge();
  const edges = before.map((shape) =>
    after.flatMap((other, index) => (comparing.isCompatible(shape, other) ? [index] : [])),
  );
  const matched = maximumMatching(edges, after.length, comparing.work);
  for (const [from, to] of matched)
    comparing.include(before[from]!, after[to]!, `${original.criterion}/${from}`);
  if (matched.length < Math.min(before.length, after.length))
    comparing.add('COMBINED_TYPE_SUBSCHEMAS_CHANGED');
}

function criterionChange(
  original: CombinedShape,
  update: CombinedShape,
): 'COMBINED_TYPE_EXTENDED' | 'COMBINED_TYPE_CHANGED' | undefined {
  if (original.criterion === update.criterion) return undefined;
  const isFromSingle = original.subschemas.length === 1;
  const isToSingle = update.subschemas.length === 1;
  const isExtended =
    update.criterion === 'anyOf' ||
    (isFromSingle && (isToSingle || update.criterion === 'oneOf')) ||
    (original.criterion === 'allOf' && isToSingle);
  return isExtended ? 'COMBINED_TYPE_EXTENDED' : 'COMBINED_TYPE_CHANGED';
}
