import type { Column } from '@weir/cluster/shapes';
import { rpcLimits } from '../limits.ts';
import { columnOf } from './columns.ts';
import { FrameError, tooDeep } from './frame-error.ts';

const marker = '$';
const markerCode = marker.charCodeAt(0);

/** Members and items in which columns are looked for in one turn. */
const membersPerTurn = 4_000;

/** Moves typed arrays out of a value. Values without any are not copied. */
export function withoutColumns(value: unknown, columns: Column[], depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be sent`);
      return value;
    case 'object':
      break;
    default:
      throw new TypeError(`a ${typeof value} cannot be sent`);
  }
  if (value === null) return null;
  if (ArrayBuffer.isView(value)) {
    columns.push(columnOf(value));
    return { [marker]: columns.length - 1 };
  }
  if (depth === rpcLimits.rpcDepthMax) throw new TypeError('value is nested too deeply');
  if (Array.isArray(value)) return listWithoutColumns(value, columns, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a ${value.constructor.name} cannot be sent`);
  }
  return objectWithoutColumns(value as Record<string, unknown>, columns, depth);
}

function listWithoutColumns(list: readonly unknown[], columns: Column[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const member = list[index];
    if (typeof member === 'string') continue;
    const plain = withoutColumns(member, columns, depth + 1);
    if (plain !== member) {
      copy ??= [...list];
      copy[index] = plain;
    }
  }
  return copy ?? list;
}

function objectWithoutColumns(
  object: Readonly<Record<string, unknown>>,
  columns: Column[],
  depth: number,
): Readonly<Record<string, unknown>> {
  let entries: [string, unknown][] | undefined;
  const keys = Object.keys(object);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const member = object[key];
    if (member === undefined) continue;
    const plain = withoutColumns(member, columns, depth + 1);
    const isMarked = key.charCodeAt(0) === markerCode;
    if (plain !== member || isMarked) {
      entries ??= Object.entries(object);
      entries[index] = [isMarked ? marker + key : key, plain];
    }
  }
  return entries === undefined ? object : Object.fromEntries(entries);
}

/** Puts the columns of a body back. */
export function placeColumns(body: unknown, text: string, columns: readonly Column[]): unknown {
  if (columns.length === 0 && !text.includes(marker)) return body;
  const left = { columns, next: 0 };
  const whole = withColumns(body, left, 0);
  requireAllPlaced(left);
  return whole;
}

/** `placeColumns` in turns, for a body of any size. */
export function* placeColumnsInTurns(
  body: unknown,
  text: string,
  columns: readonly Column[],
): Generator<undefined, unknown> {
  if (columns.length === 0 && !text.includes(marker)) return body;
  const left = { columns, next: 0, membersLeft: membersPerTurn };
  const whole = yield* placedColumns(body, left, 0);
  requireAllPlaced(left);
  return whole;
}

function requireAllPlaced({ columns, next }: ColumnsLeft): void {
  if (next !== columns.length) throw new FrameError('column without a reference in the body');
}

interface ColumnsLeft {
  readonly columns: readonly Column[];
  next: number;
}

/** Puts typed arrays back, in place. */
function withColumns(value: unknown, left: ColumnsLeft, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > rpcLimits.rpcDepthMax) throw tooDeep();
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const member: unknown = value[index];
      if (typeof member === 'object') value[index] = withColumns(member, left, depth + 1);
    }
    return value;
  }
  const object = value as Record<string, unknown>;
  let isMarked = false;
  for (const key of Object.keys(object)) {
    if (key.charCodeAt(0) === markerCode) {
      if (key === marker) return nextColumn(object, left);
      requireSecondMarker(key);
      isMarked = true;
    }
    const member = object[key];
    if (typeof member !== 'object' || member === null) continue;
    const whole = withColumns(member, left, depth + 1);
    if (whole !== member) putMember(object, key, whole);
  }
  if (!isMarked) return object;
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [
      key.charCodeAt(0) === markerCode ? key.slice(1) : key,
      member,
    ]),
  );
}

function requireSecondMarker(key: string): void {
  if (key.charCodeAt(1) !== markerCode) throw new FrameError('a key of the body begins with a lone $');
}

function* placedColumns(
  value: unknown,
  left: ColumnsLeft & { membersLeft: number },
  depth: number,
): Generator<undefined, unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > rpcLimits.rpcDepthMax) throw tooDeep();
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const member: unknown = value[index];
      if (typeof member === 'object') value[index] = yield* placedColumns(member, left, depth + 1);
      if (isTurnOver(left)) yield;
    }
    return value;
  }
  const object = value as Record<string, unknown>;
  const keys = Object.keys(object);
  let renamed: Record<string, unknown> | undefined;
  if (keys.some((key) => key.charCodeAt(0) === markerCode)) {
    if (keys.includes(marker)) return nextColumn(object, left);
    renamed = {};
  }
  for (const key of keys) {
    const isMarked = key.charCodeAt(0) === markerCode;
    if (isMarked) requireSecondMarker(key);
    const member = object[key];
    const whole = typeof member === 'object' ? yield* placedColumns(member, left, depth + 1) : member;
    if (renamed !== undefined) putMember(renamed, isMarked ? key.slice(1) : key, whole);
    else if (whole !== member) putMember(object, key, whole);
    if (isTurnOver(left)) yield;
  }
  return renamed ?? object;
}

function isTurnOver(left: { membersLeft: number }): boolean {
  if (--left.membersLeft > 0) return false;
  left.membersLeft = membersPerTurn;
  return true;
}

function putMember(object: Record<string, unknown>, key: string, value: unknown): void {
  // An assignment to this key would set the prototype.
  if (key === '__proto__')
    Object.defineProperty(object, key, { configurable: true, enumerable: true, writable: true, value });
  else object[key] = value;
}

function nextColumn(
  place: Readonly<Record<string, unknown>>,
  left: { readonly columns: readonly Column[]; next: number },
): Column {
  const column = left.columns[left.next];
  if (place[marker] !== left.next || column === undefined || Object.keys(place).length !== 1) {
    throw new FrameError('body refers to missing or unordered columns');
  }
  left.next++;
  return column;
}
