import type { Column } from '@weir/cluster/shapes';
import { FrameError } from './frame-error.ts';

/** The index is the code on the wire: types may be appended and never moved. */
const columnTypes = [Uint8Array, Int16Array, Uint32Array, Int32Array, Float64Array] as const;

const tableRowBytes = 8;

/** The size of a table of columns with the columns behind it. */
export function columnsBytes(columns: readonly Column[]): number {
  let size = columns.length * tableRowBytes;
  for (const column of columns) size += padded(column.byteLength);
  return size;
}

/** Writes the table and the columns, and returns where they end. */
export function writeColumns(frame: Buffer, columns: readonly Column[], start: number): number {
  let at = start;
  for (const column of columns) {
    frame.writeUInt32LE(typeOf(column), at);
    frame.writeUInt32LE(column.length, at + 4);
    at += tableRowBytes;
  }
  for (const column of columns) {
    if (column.length === 0) continue;
    frame.set(bytesOf(column), at);
    const end = at + column.byteLength;
    at += padded(column.byteLength);
    if (end < at) frame.fill(0, end, at);
  }
  return at;
}

/**
 * Reads a table at `from` and its columns. These are views of one fresh buffer that holds nothing else, so they are
 * aligned, belong to the receiver and do not retain memory of the socket.
 */
export function readColumns(
  frame: Buffer,
  count: number,
  from: number,
): { readonly columns: Column[]; readonly end: number } {
  const start = from + count * tableRowBytes;
  if (start > frame.length) throw new FrameError(`the table of ${count} columns does not fit into the frame`);
  let size = 0;
  for (let row = from; row < start; row += tableRowBytes) {
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
  for (let row = from; row < start; row += tableRowBytes) {
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

/** A view as a column. */
export function columnOf(view: ArrayBufferView): Column {
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
