import { registryLimits } from '../../limits.ts';
import { compareArrays } from './compare-arrays.ts';
import { compareCombined } from './compare-combined.ts';
import { compareObjects } from './compare-objects.ts';
import { compareConstants, compareEnums, compareNumbers, compareStrings } from './compare-values.ts';
import { type Comparing, ComparisonTooLarge } from './comparing.ts';
import { type DifferenceType, isIncompatible } from './difference-types.ts';
import type { Shape } from './shape.ts';

/** A difference between two schemas, and where. */
export interface Difference {
  readonly type: DifferenceType;
  /** `#/` and the names of the keywords and properties that lead to it. */
  readonly path: string;
}

interface ComparedPair {
  readonly original: Shape;
  readonly update: Shape;
  isIncompatible: boolean;
  isQueued: boolean;
  isOpen: boolean;
  /** Pairs that were compared with the help of this one. */
  readonly dependents: Set<ComparedPair>;
}

type Part =
  | { readonly type: DifferenceType; readonly path: string }
  | { readonly type?: never; readonly original: Shape; readonly update: Shape; readonly path: string };

/**
 * Compares two schemas: all pairs of subschemas count as compatible until a difference shows that they are not, which
 * is then passed on to the pairs that depend on them. So recursive schemas need no depth, and each pair is compared
 * once and again only when one that it depends on turned out incompatible.
 */
export class Comparison {
  readonly #policy: 'STRICT' | 'LENIENT';
  readonly #pairs = new Map<Shape, Map<Shape, ComparedPair>>();
  #queue: ComparedPair[] = [];
  #pairCount = 0;
  #stepsLeft: number = registryLimits.jsonComparisonStepsMax;

  constructor(policy: 'STRICT' | 'LENIENT') {
    this.#policy = policy;
  }

  /** All differences, or the incompatible ones. Throws `ComparisonTooLarge`. */
  differences(original: Shape, update: Shape, wanted: 'all' | 'incompatible'): Difference[] {
    const root = this.#pairOf(original, update);
    while (this.#queue.length > 0) {
      const queue = this.#queue;
      this.#queue = [];
      for (const pair of queue) this.#compare(pair);
    }
    return this.#report(root, wanted);
  }

  #compare(pair: ComparedPair): void {
    pair.isQueued = false;
    if (pair.isIncompatible) return;
    const parts = this.#partsOf(pair);
    if (!parts.some((part) => this.#makesIncompatible(part))) return;
    pair.isIncompatible = true;
    for (const dependent of pair.dependents) {
      if (dependent.isQueued || dependent.isIncompatible) continue;
      dependent.isQueued = true;
      this.#queue.push(dependent);
    }
  }

  #makesIncompatible(part: Part): boolean {
    return part.type === undefined
      ? this.#pairOf(part.original, part.update).isIncompatible
      : isIncompatible(part.type, this.#policy);
  }

  #pairOf(original: Shape, update: Shape): ComparedPair {
    let byUpdate = this.#pairs.get(original);
    if (byUpdate === undefined) {
      byUpdate = new Map();
      this.#pairs.set(original, byUpdate);
    }
    let pair = byUpdate.get(update);
    if (pair === undefined) {
      this.#pairCount++;
      if (this.#pairCount > registryLimits.jsonComparisonPairsMax) throw new ComparisonTooLarge();
      pair = {
        original,
        update,
        isIncompatible: false,
        isQueued: true,
        isOpen: false,
        dependents: new Set(),
      };
      byUpdate.set(update, pair);
      this.#queue.push(pair);
    }
    return pair;
  }

  /** What the comparison of a pair says now: differences, and pairs whose differences belong to it. */
  #partsOf(pair: ComparedPair): Part[] {
    const parts: Part[] = [];
    const isCompatible = (original: Shape, update: Shape) => {
      this.#work(1);
      if (original.kind !== 'combined' && update.kind !== 'combined' && original.kind !== update.kind)
        return typeProblem(original, update) === undefined;
      const sub = this.#pairOf(original, update);
      sub.dependents.add(pair);
      return !sub.isIncompatible;
    };
    compareShapes(pair.original, pair.update, {
      add: (type, path = '') => parts.push({ type, path }),
      include: (original, update, path = '') => {
        const part = { original: original(), update: update(), path };
        isCompatible(part.original, part.update);
        this.#pairOf(part.original, part.update).dependents.add(pair);
        parts.push(part);
      },
      isCompatible: (original, update) => isCompatible(original(), update()),
      work: (steps) => this.#work(steps),
    });
    return parts;
  }

  #work(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new ComparisonTooLarge();
  }

  /** Collects the differences of a pair and of those that it includes, without a pair inside itself. */
  #report(root: ComparedPair, wanted: 'all' | 'incompatible'): Difference[] {
    if (wanted === 'incompatible' && !root.isIncompatible) return [];
    const found: Difference[] = [];
    let charsLeft: number = registryLimits.jsonSchemaCharsMax;
    const open = [{ pair: root, parts: this.#partsOf(root), at: 0, path: '#' }];
    root.isOpen = true;
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const part = top.parts[top.at++];
      if (part === undefined) {
        top.pair.isOpen = false;
        open.pop();
        continue;
      }
      const path = part.path === '' ? top.path : `${top.path}/${part.path}`;
      if (part.type !== undefined) {
        if (wanted === 'incompatible' && !isIncompatible(part.type, this.#policy)) continue;
        found.push({ type: part.type, path: path === '#' ? '#/' : path });
        charsLeft -= path.length;
        if (found.length >= registryLimits.jsonDifferencesMax || charsLeft < 0) return found;
        continue;
      }
      const pair = this.#pairOf(part.original, part.update);
      if (pair.isOpen || (wanted === 'incompatible' && !pair.isIncompatible)) continue;
      pair.isOpen = true;
      open.push({ pair, parts: this.#partsOf(pair), at: 0, path });
    }
    return found;
  }
}

function compareShapes(original: Shape, update: Shape, comparing: Comparing): void {
  if (original.kind !== 'combined' && update.kind === 'combined') {
    const { subschemas, criterion } = update;
    const isSingle = subschemas.length === 1;
    if (isSingle || criterion !== 'allOf') {
      const fitting = subschemas.find((subschema) => comparing.isCompatible(() => original, subschema));
      if (fitting !== undefined) {
        comparing.include(() => original, fitting);
        if (!isSingle) comparing.add('SUM_TYPE_EXTENDED');
        return;
      }
    }
  } else if (original.kind === 'combined' && update.kind !== 'combined') {
    const { subschemas, criterion } = original;
    const isSingle = subschemas.length === 1;
    if (isSingle || criterion === 'allOf') {
      const fitting = subschemas.find((subschema) => comparing.isCompatible(subschema, () => update));
      if (fitting !== undefined) {
        comparing.include(fitting, () => update);
        if (!isSingle) comparing.add('PRODUCT_TYPE_NARROWED');
        return;
      }
    }
  }
  if (original.kind !== update.kind) {
    const problem = typeProblem(original, update);
    if (problem !== undefined) comparing.add(problem);
    return;
  }
  compareLabels(original, update, comparing);
  compareKinds(original, update, comparing);
}

/** What is wrong with two shapes of different kinds. */
function typeProblem(original: Shape, update: Shape): 'TYPE_CHANGED' | undefined {
  if (original.kind === 'nothing' || update.kind === 'anything') return undefined;
  return original.labels.isConnectBytes && update.labels.isConnectBytes ? undefined : 'TYPE_CHANGED';
}

function compareLabels({ labels: original }: Shape, { labels: update }: Shape, { add }: Comparing): void {
  if (original.id !== update.id) add('ID_CHANGED');
  if (original.title !== update.title) add('TITLE_CHANGED');
  if (original.description !== update.description) add('DESCRIPTION_CHANGED');
  if (original.defaultValue !== update.defaultValue) add('DEFAULT_CHANGED');
}

function compareKinds(original: Shape, update: Shape, comparing: Comparing): void {
  if (original.kind === 'string' && update.kind === 'string') compareStrings(original, update, comparing);
  if (original.kind === 'number' && update.kind === 'number') compareNumbers(original, update, comparing);
  if (original.kind === 'object' && update.kind === 'object') compareObjects(original, update, comparing);
  if (original.kind === 'array' && update.kind === 'array') compareArrays(original, update, comparing);
  if (original.kind === 'enum' && update.kind === 'enum')
    compareEnums(original.values, update.values, comparing);
  if (original.kind === 'const' && update.kind === 'const')
    compareConstants(original.value, update.value, comparing);
  if (original.kind === 'combined' && update.kind === 'combined')
    compareCombined(original, update, comparing);
  if (original.kind === 'not' && update.kind === 'not') {
    const isNarrower = comparing.isCompatible(update.negated, original.negated);
    comparing.add(isNarrower ? 'NOT_TYPE_NARROWED' : 'NOT_TYPE_EXTENDED', 'not');
  }
}
