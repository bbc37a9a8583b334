import type { Column } from '@weir/cluster/shapes';
import { JsonReader, jsonStepsPerTurn, KiB } from '@weir/core';
import { rpcLimits } from '../limits.ts';

/**
 * One frame of the connection between an agent and the control plane; a message of the transport holds exactly one.
 *
 *     0   u8   kind, an index into `frameKinds`
 *     1   u8   format, 1
 *     2   u16  zero
 *     4   u32  number of columns
 *     8   f64  id: of the call, of the subscription, or a count; an integer
 *     16  per column 8 bytes: u8 type, 3 bytes zero, u32 number of elements
 *     ..  the columns, each padded with zeros to a multiple of 8 bytes
 *     ..  the body as JSON in UTF-8, to the end of the frame; no bytes mean no body
 *
 * Everything is little-endian, like the machines that we run on. Typed arrays anywhere in the body travel as columns,
 * with `{"$":n}` in their place, numbered in the order of the text. A key of a body that starts with `$` gets another
 * one in front.
 *
 * JSON limits the rest of a body: `undefined` members are dropped, and `encodeFrame` refuses values that JSON would
 * silently change (NaN, holes, dates, bigints).
 */
export const frameKinds = [
  'hello',
  'call',
  'result',
  'failure',
  'follow',
  'unfollow',
  'snapshot',
  'changes',
  'ping',
  'pong',
  'followFailure',
] as const;

type FrameKind = (typeof frameKinds)[number];

export interface Frame {
  readonly kind: FrameKind;
  readonly id: number;
  /** `undefined` if there is none. */
  readonly body: unknown;
}

interface FrameLimits {
  readonly frameBytesMax: number;
  /** JSON costs many times its length in memory, so it has a limit of its own. */
  readonly bodyBytesMax: number;
}

/** The limits of frames of agents. */
export const callLimits: FrameLimits = {
  frameBytesMax: rpcLimits.rpcCallBytesMax,
  bodyBytesMax: rpcLimits.rpcCallBodyBytesMax,
};

/** The limits of frames of the control plane; a snapshot has all topics and the ends of all partitions. */
export const replyLimits: FrameLimits = {
  frameBytesMax: rpcLimits.rpcReplyBytesMax,
  bodyBytesMax: rpcLimits.rpcReplyBytesMax,
};

/** The only error that bytes of a peer may throw. The connection must then be closed. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** A frame that is only too large. Its kind and id are known, so it can be answered. */
export class FrameTooLarge extends FrameError {
  readonly kind: FrameKind;
  readonly id: number;

  constructor(kind: FrameKind, id: number, message: string) {
    super(message);
    this.kind = kind;
    this.id = id;
  }
}

/** The index is the code on the wire: types may be appended and never moved. */
const columnTypes = [Uint8Array, Int16Array, Uint32Array, Int32Array, Float64Array] as const;

const format = 1;
const headBytes = 16;
const tableRowBytes = 8;
const marker = '$';
const markerCode = marker.charCodeAt(0);

/** A longer body is parsed in parts by those who share their thread. */
const bodyCharsAtOnceMax = 16 * KiB;
/** Members and items in which columns are looked for in one turn. */
const membersPerTurn = 4_000;

/** A body that was encoded once and is sent with any number of ids: a frame with an empty head. */
export interface EncodedBody {
  readonly columnCount: number;
  /** The length of the body without its columns. */
  readonly bodyBytes: number;
  readonly frame: Buffer;
}

export function encodeBody(body: unknown): EncodedBody {
  if (body === undefined) return { columnCount: 0, bodyBytes: 0, frame: Buffer.allocUnsafe(headBytes) };
  const columns: Column[] = [];
  const text = JSON.stringify(withoutColumns(body, columns, 0));
  const textBytes = Buffer.byteLength(text);
  let size = headBytes + columns.length * tableRowBytes + textBytes;
  for (const column of columns) size += padded(column.byteLength);
  const frame = Buffer.allocUnsafe(size);
  let at = headBytes;
  for (const column of columns) {
    frame.writeUInt32LE(typeOf(column), at);
    frame.writeUInt32LE(column.length, at + 4);
    at += tableRowBytes;
  }
  for (const column of columns) {
    frame.set(bytesOf(column), at);
    const end = at + column.byteLength;
    at += padded(column.byteLength);
    if (end < at) frame.fill(0, end, at);
  }
  frame.write(text, at, textBytes === text.length ? 'latin1' : 'utf8');
  return { columnCount: columns.length, bodyBytes: textBytes, frame };
}

export function encodeFrame(kind: FrameKind, id: number, body?: unknown): Uint8Array {
  return asFrame(kind, id, encodeBody(body));
}

/** Turns the encoded body itself into a frame: possible only once. */
export function asFrame(kind: FrameKind, id: number, { columnCount, frame }: EncodedBody): Uint8Array {
  writeHead(frame, kind, id, columnCount);
  return frame;
}

/** The reason why the other side would refuse a frame with this body. */
export function sizeProblem(
  { frame, columnCount, bodyBytes }: EncodedBody,
  limits: FrameLimits,
): string | undefined {
  return sizeProblemOf(frame.length, columnCount, bodyBytes, limits);
}

function sizeProblemOf(
  frameBytes: number,
  columnCount: number,
  bodyBytes: number,
  { frameBytesMax, bodyBytesMax }: FrameLimits,
): string | undefined {
  if (frameBytes > frameBytesMax) return `frame of ${frameBytes} bytes exceeds the limit of ${frameBytesMax}`;
  if (columnCount > rpcLimits.rpcColumnsMax)
    return `${columnCount} columns exceed the limit of ${rpcLimits.rpcColumnsMax}`;
  if (bodyBytes > bodyBytesMax) return `body of ${bodyBytes} bytes exceeds the limit of ${bodyBytesMax}`;
  return undefined;
}

/** A copy of an encoded body, with a head. */
export function frameOf(kind: FrameKind, id: number, { columnCount, frame }: EncodedBody): Uint8Array {
  const copy = Buffer.from(frame);
  writeHead(copy, kind, id, columnCount);
  return copy;
}

function writeHead(frame: Buffer, kind: FrameKind, id: number, columnCount: number): void {
  frame.writeUInt32LE(frameKinds.indexOf(kind) | (format << 8), 0);
  frame.writeUInt32LE(columnCount, 4);
  frame.writeDoubleLE(id, 8);
}

/**
 * Decodes a frame or throws a `FrameError`. The columns are views of one fresh buffer that holds nothing else, so they
 * are aligned, belong to the receiver and do not retain memory of the socket.
 */
export function decodeFrame(bytes: Uint8Array, limits: FrameLimits): Frame {
  const { kind, id, text, columns } = openFrame(bytes, limits);
  return { kind, id, body: readBody(text, columns) };
}

/** Like `decodeFrame`, but a frame with a long body is returned with a part of it read. */
export function beginFrame(bytes: Uint8Array, limits: FrameLimits): Frame | FrameReader {
  const opened = openFrame(bytes, limits);
  const { kind, id, text, columns } = opened;
  if (text.length <= bodyCharsAtOnceMax) return { kind, id, body: readBody(text, columns) };
  const reader = new FrameReader(opened);
  return reader.advance() ?? reader;
}

interface OpenedFrame extends Omit<Frame, 'body'> {
  readonly text: string;
  readonly columns: readonly Column[];
}

/**
 * Reads a frame with a long body, with other work in between: the parser cannot be interrupted, and some bodies take it
 * more than 100 ms.
 */
export class FrameReader {
  readonly #opened: OpenedFrame;
  readonly #reader: JsonReader;
  #placing: Generator<undefined, unknown> | undefined;

  constructor(opened: OpenedFrame) {
    this.#opened = opened;
    // The innermost object of a body may stand for a column.
    const depthMax = rpcLimits.rpcDepthMax + 1;
    // An object is listed and copied at once, which takes 100 ms for 300,000 names.
    const bounds = { depthMax, valuesMax: Number.POSITIVE_INFINITY, namesMax: rpcLimits.rpcObjectNamesMax };
    this.#reader = new JsonReader(opened.text, { bounds });
  }

  /** Reads on for some milliseconds, and returns the frame once it is read. Throws a `FrameError`. */
  advance(): Frame | undefined {
    const { kind, id } = this.#opened;
    if (this.#placing === undefined) {
      if (!this.#advanceText()) return undefined;
      this.#placing = this.#place();
    }
    const { done = false, value: body } = this.#placing.next();
    return done ? { kind, id, body } : undefined;
  }

  #advanceText(): boolean {
    let isRead: boolean;
    try {
      isRead = this.#reader.advance(jsonStepsPerTurn);
    } catch {
      throw notJson();
    }
    const { broken } = this.#reader;
    if (broken === 'namesMax') {
      const { kind, id } = this.#opened;
      throw new FrameTooLarge(kind, id, `object with more than ${rpcLimits.rpcObjectNamesMax} names`);
    }
    if (broken !== undefined) throw tooDeep();
    return isRead;
  }

  *#place(): Generator<undefined, unknown> {
    const { text, columns } = this.#opened;
    const { value } = this.#reader;
    if (columns.length === 0 && !text.includes(marker)) return value;
    const left = { columns, next: 0, membersLeft: membersPerTurn };
    const whole = yield* placedColumns(value, left, 0);
    requireAllPlaced(left);
    return whole;
  }
}

function openFrame(bytes: Uint8Array, limits: FrameLimits): OpenedFrame {
  if (bytes.length < headBytes) throw new FrameError(`frame of ${bytes.length} bytes has no header`);
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kind = frameKinds[frame[0]!];
  const columnCount = frame.readUInt32LE(4);
  const id = frame.readDoubleLE(8);
  const checkSize = (bodyBytes: number) => {
    const problem = sizeProblemOf(frame.length, columnCount, bodyBytes, limits);
    if (problem === undefined) return;
    const isKnown = kind !== undefined && frame[1] === format && Number.isSafeInteger(id) && id >= 0;
    throw isKnown ? new FrameTooLarge(kind, id, problem) : new FrameError(problem);
  };
  checkSize(0);
  if (kind === undefined) throw new FrameError(`unknown frame kind ${frame[0]}`);
  if (frame[1] !== format) throw new FrameError(`unknown frame format ${frame[1]}; expected ${format}`);
  if (frame.readUInt16LE(2) !== 0) throw new FrameError('reserved bytes are not zero');
  if (!Number.isSafeInteger(id) || id < 0) throw new FrameError('id is not an integer');

  const { columns, end } = readColumns(frame, columnCount);
  checkSize(frame.length - end);
  return { kind, id, text: frame.toString('utf8', end), columns };
}

function readColumns(frame: Buffer, count: number): { columns: Column[]; end: number } {
  const start = headBytes + count * tableRowBytes;
  if (start > frame.length) throw new FrameError(`the table of ${count} columns does not fit into the frame`);
  let size = 0;
  for (let row = headBytes; row < start; row += tableRowBytes) {
    const type = columnTypes[frame.readUInt32LE(row)];
    if (type === undefined) throw new FrameError('column of unknown type');
    size += padded(frame.readUInt32LE(row + 4) * type.BYTES_PER_ELEMENT);
  }
  if (start + size > frame.length) throw new FrameError(`${size} bytes of columns do not fit into the frame`);
  const columns: Column[] = [];
  if (count === 0) return { columns, end: start };

  const own = new Uint8Array(size);
  own.set(frame.subarray(start, start + size));
  let at = 0;
  for (let row = headBytes; row < start; row += tableRowBytes) {
    const type = columnTypes[frame.readUInt32LE(row)]!;
    const column = new type(own.buffer, at, frame.readUInt32LE(row + 4));
    columns.push(column);
    const end = at + column.byteLength;
    at += padded(column.byteLength);
    for (let byte = end; byte < at; byte++) {
      if (own[byte] !== 0) throw new FrameError('the bytes between columns are not zero');
    }
  }
  return { columns, end: start + size };
}

function readBody(text: string, columns: readonly Column[]): unknown {
  if (text === '') {
    if (columns.length > 0) throw new FrameError('columns without a body');
    return undefined;
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw notJson();
  }
  if (columns.length === 0 && !text.includes(marker)) return body;
  const left = { columns, next: 0 };
  const whole = withColumns(body, left, 0);
  requireAllPlaced(left);
  return whole;
}

function notJson(): FrameError {
  return new FrameError('body is not JSON');
}

function tooDeep(): FrameError {
  return new FrameError('body is nested too deeply');
}

function requireAllPlaced({ columns, next }: ColumnsLeft): void {
  if (next !== columns.length) throw new FrameError('column without a reference in the body');
}

/** Moves typed arrays out of a value. Values without any are not copied. */
function withoutColumns(value: unknown, columns: Column[], depth: number): unknown {
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

/** `withColumns` in turns, for a body of any size. */
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

function columnOf(view: ArrayBufferView): Column {
  for (const type of columnTypes) {
    if (view instanceof type) return view;
  }
  throw new TypeError(`a ${view.constructor.name} cannot be sent`);
}

function typeOf(column: Column): number {
  return columnTypes.findIndex((type) => column instanceof type);
}

function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
