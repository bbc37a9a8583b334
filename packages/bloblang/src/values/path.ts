import { fail } from './mapping-error.ts';
import { isObject, typeOf, type Value, type ValueObject } from './value.ts';

/** Segments of a dot path; `~1` stands for a dot and `~0` for a tilde. */
export function splitPath(path: string): string[] {
  return path.split('.').map((segment) => segment.replaceAll('~1', '.').replaceAll('~0', '~'));
}

export function joinPath(segments: readonly string[]): string {
  return segments.map((segment) => segment.replaceAll('~', '~0').replaceAll('.', '~1')).join('.');
}

/** Names that every object of JavaScript has; the field has to be its own. */
export const isInherited = (key: string): boolean => key in Object.prototype;

export function fieldOf(object: ValueObject, key: string): Value | undefined {
  return isInherited(key) && !Object.hasOwn(object, key) ? undefined : object[key];
}

export function setField(object: ValueObject, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

const indexPattern = /^[+-]?\d+$/;

/** The index that a segment is in Go's `strconv.Atoi`. */
export function indexOfSegment(segment: string): number | undefined {
  return indexPattern.test(segment) ? Number(segment) : undefined;
}

/** The value at a path; `undefined` if there is none. A `*` stands for every element of an array. */
export function find(value: Value, path: readonly string[], from = 0): Value | undefined {
  let current = value;
  for (let at = from; at < path.length; at++) {
    const segment = path[at]!;
    if (Array.isArray(current)) {
      if (segment === '*') return findInAll(current, path, at + 1);
      const index = indexOfSegment(segment);
      if (index === undefined || index < 0 || index >= current.length) return undefined;
      current = current[index]!;
      continue;
    }
    if (!isObject(current)) return undefined;
    const next = fieldOf(current, segment);
    if (next === undefined) return undefined;
    current = next;
  }
  return current;
}

function findInAll(values: readonly Value[], path: readonly string[], from: number): Value | undefined {
  const found =
    from >= path.length
      ? [...values]
      : values.flatMap((value) => {
          const inside = find(value, path, from);
          return inside === undefined ? [] : [inside];
        });
  return found.length === 0 ? undefined : found;
}

/** Containers that a run made itself and that nothing else refers to, so that it may change them. */
export class Owned {
  readonly #containers = new Set<object>();
  readonly #work: { copy(count: number): void };
  /** Copies are charged to the run. */
  constructor(work: { copy(count: number): void }) {
    this.#work = work;
  }
  has(container: object): boolean {
    return this.#containers.has(container);
  }
  add(container: object): void {
    this.#containers.add(container);
  }
  copied(container: object): void {
    this.#work.copy(Array.isArray(container) ? container.length : Object.keys(container).length);
    this.add(container);
  }
}

/** A copy of a container that may be changed, or the container if it may be. */
function ownedCopy<Container extends Value[] | ValueObject>(container: Container, owned: Owned): Container {
  if (owned.has(container)) return container;
  const copy = (Array.isArray(container) ? container.slice() : copyOf(container)) as Container;
  owned.copied(copy);
  return copy;
}

/** A spread copies own fields, whatever their names. */
export function copyOf(object: ValueObject): ValueObject {
  return { ...object };
}

const collision = Symbol('collision');

/**
 * Sets a value below a root, and returns the root. Containers on the way are copied unless they are owned, so nothing
 * else that refers to them changes.
 */
export function setAt(root: Value, path: readonly string[], value: Value, owned: Owned): Value {
  const result = set(root, path, 0, value, owned);
  return result === collision ? failAtCollision(root, path) : result;
}

function set(
  container: Value,
  path: readonly string[],
  at: number,
  value: Value,
  owned: Owned,
): Value | typeof collision {
  const segment = path[at]!;
  const isLast = at === path.length - 1;
  if (Array.isArray(container)) {
    const isNew = segment === '-';
    const index = isNew ? container.length : checkedIndex(container, path, at);
    const inside = isNew ? {} : container[index]!;
    if (!isLast && inside === null)
      fail(`${targetOf(path)}: failed to resolve path segment '${at}': field '${segment}' was not found`);
    const changed = isLast ? value : set(inside, path, at + 1, value, owned);
    if (changed === collision) return collision;
    const copy = ownedCopy(container, owned);
    copy[index] = changed;
    return copy;
  }
  if (!isObject(container)) return collision;
  let changed: Value | typeof collision = value;
  if (!isLast) {
    const inside = fieldOf(container, segment) ?? null;
    changed = set(inside === null ? newObject(owned) : inside, path, at + 1, value, owned);
    if (changed === collision) return collision;
  }
  const copy = ownedCopy(container, owned);
  setField(copy, segment, changed);
  return copy;
}

function newObject(owned: Owned): ValueObject {
  const object: ValueObject = {};
  owned.add(object);
  return object;
}

function checkedIndex(container: readonly Value[], path: readonly string[], at: number): number {
  const segment = path[at]!;
  const index = indexOfSegment(segment);
  const where = `${targetOf(path)}: failed to resolve path segment '${at}': found array but`;
  if (index === undefined)
    return fail(`${where} segment value '${segment}' could not be parsed into array index`);
  if (index < 0) return fail(`${where} index '${index}' is invalid`);
  if (index >= container.length)
    return fail(`${where} index '${index}' exceeded target array size of '${container.length}'`);
  return index;
}

const targetOf = (path: readonly string[]): string => `unable to set target path ${joinPath(path)}`;

function failAtCollision(root: Value, path: readonly string[]): never {
  if (!isObject(root))
    return fail(`${targetOf(path)} as the value of the root was a non-object type (${typeOf(root)})`);
  let current: Value = root;
  let count = 0;
  for (const segment of path) {
    count++;
    current = find(current, [segment]) ?? null;
    if (!isObject(current)) break;
  }
  const culprit = joinPath(path.slice(0, count));
  return fail(`${targetOf(path)} as the value of ${culprit} was a non-object type (${typeOf(current)})`);
}

/** Removes what is at a path, if anything is, and returns the root. */
export function deleteAt(root: Value, path: readonly string[], owned: Owned): Value {
  const inside = find(root, path);
  if (inside === undefined) return root;
  return remove(root, path, 0, owned);
}

function remove(container: Value, path: readonly string[], at: number, owned: Owned): Value {
  const segment = path[at]!;
  const isLast = at === path.length - 1;
  if (Array.isArray(container)) {
    const index = indexOfSegment(segment);
    // An element of the root itself cannot be removed.
    if (index === undefined || (isLast && at === 0)) return container;
    const copy = ownedCopy(container, owned);
    if (isLast) copy.splice(index, 1);
    else copy[index] = remove(copy[index]!, path, at + 1, owned);
    return copy;
  }
  if (!isObject(container)) return container;
  const copy = ownedCopy(container, owned);
  if (isLast) delete copy[segment];
  else setField(copy, segment, remove(copy[segment]!, path, at + 1, owned));
  return copy;
}
