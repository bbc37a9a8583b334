import type { Column } from '@weir/cluster/shapes';
import { KiB } from '@weir/core';
import { rpcLimits } from '../limits.ts';
import { placeColumns, withoutColumns } from './column-places.ts';
import { columnsBytes, readColumns, writeColumns } from './columns.ts';
import { FrameError, FrameTooLarge, notJson } from './frame-error.ts';
import { type Frame, type FrameKind, frameKinds } from './frame-kinds.ts';
import { FrameReader, type OpenedFrame } from './frame-reader.ts';

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

const format = 1;
const headBytes = 16;

/** A longer body is parsed in parts by those who share their thread. */
const bodyCharsAtOnceMax = 16 * KiB;

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
  const frame = Buffer.allocUnsafe(headBytes + columnsBytes(columns) + textBytes);
  const at = writeColumns(frame, columns, headBytes);
  frame.write(text, at, textBytes === text.length ? 'latin1' : 'utf8');
  return { columnCount: columns.length, bodyBytes: textBytes, frame };
}

export function encodeFrame(kind: FrameKind, id: number, body?: unknown): Uint8Array {
  return asFrame(kind, id, encodeBody(body));
}

/** Turns the encoded body itself into a frame: possible only once. Copies of it with other heads may follow. */
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

/** Decodes a frame or throws a `FrameError`. */
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

  const { columns, end } = readColumns(frame, columnCount, headBytes);
  checkSize(frame.length - end);
  return { kind, id, text: frame.toString('utf8', end), columns };
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
  return placeColumns(body, text, columns);
}
