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

export type FrameKind = (typeof frameKinds)[number];

export interface Frame {
  readonly kind: FrameKind;
  readonly id: number;
  /** `undefined` if there is none. */
  readonly body: unknown;
}
