import { promisify } from 'node:util';
import {
  constants,
  gunzip,
  inflate,
  inflateRaw,
  type ZlibOptions,
  type ZstdOptions,
  zstdDecompress,
} from 'node:zlib';
import { KiB } from '@weir/core';
import { httpLimits } from '../limits.ts';
import { HttpProblem } from './http-problem.ts';

/** Returns undefined if the output has more than `bytesMax`. */
export type Inflate = (body: Buffer, bytesMax: number) => Promise<Buffer | undefined>;

/** What node:zlib returns with `info`. */
interface InflatedFrame {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Every piece of output is a round trip between threads. */
const pieceBytesMax = 256 * KiB;
const pieceBytesMin = 16 * KiB;
/** Windows of zstd in HTTP have at most 8 MiB (RFC 9659). A frame makes its reader allocate its window at once. */
const zstdWindowLogMax = 23;

const inflations: Readonly<Record<string, Inflate>> = {
  gzip: zlibInflate(promisify(gunzip)),
  'x-gzip': zlibInflate(promisify(gunzip)),
  deflate: (body, bytesMax) => (hasZlibHeader(body) ? inflateZlib : inflateBare)(body, bytesMax),
  zstd: unlessTooLarge(inflateZstd),
};
const inflateZlib = zlibInflate(promisify(inflate));
const inflateBare = zlibInflate(promisify(inflateRaw));

/** Encodings of one body. More of them would be more work than its bytes pay for. */
const encodingsMax = 2;

interface InflatedBodyOptions {
  /** Of the output, and of what lies between two encodings. */
  readonly bytesMax: number;
  /** Further encodings, which only some clients use. Errors do not name them. */
  readonly others?: Readonly<Record<string, Inflate>>;
}

/** Undoes `Content-Encoding`, in threads of the pool. Returns undefined if the output is too large. */
export async function inflatedBody(
  body: Buffer,
  encodings: string,
  { bytesMax, others = {} }: InflatedBodyOptions,
): Promise<Buffer | undefined> {
  const known = { ...inflations, ...others };
  const names = encodings.split(',', encodingsMax + 1).map((name) => name.trim().toLowerCase());
  const isKnown = names.every((name) => name === 'identity' || Object.hasOwn(known, name));
  if (!isKnown || names.length > encodingsMax)
    throw new HttpProblem(415, 'Send the body as it is, or with one of gzip, deflate and zstd.');
  let output: Buffer | undefined = body;
  for (const name of names.reverse()) {
    if (name === 'identity') continue;
    try {
      output = await known[name]!(output, bytesMax);
    } catch {
      throw new HttpProblem(400, `The body is not ${name}.`);
    }
    if (output === undefined) return undefined;
  }
  return output;
}

function unlessTooLarge(inflate: (body: Buffer, bytesMax: number) => Promise<Buffer>): Inflate {
  return (body, bytesMax) =>
    inflate(body, bytesMax).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
      throw error;
    });
}

function zlibInflate(work: (body: Buffer, options: ZlibOptions) => Promise<Buffer>): Inflate {
  return unlessTooLarge((body, bytesMax) =>
    work(body, { maxOutputLength: bytesMax, chunkSize: pieceBytes(body) }),
  );
}

/** Some clients send the stream without its header. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE() % 31 === 0;
}

const zstdFrame = promisify(zstdDecompress as unknown as ZstdWithInfo);
type ZstdWithInfo = (
  body: Buffer,
  options: ZstdOptions,
  done: (error: Error | null, frame: InflatedFrame) => void,
) => void;

/** node:zlib stops after a frame. */
async function inflateZstd(body: Buffer, bytesMax: number): Promise<Buffer> {
  const outputs: Buffer[] = [];
  let bytesLeft = bytesMax;
  for (let at = 0; at < body.length; ) {
    if (outputs.length === httpLimits.httpZstdFramesMax) throw new Error('too many frames');
    const { buffer, engine } = await zstdFrame(body.subarray(at), {
      maxOutputLength: Math.max(bytesLeft, 1),
      chunkSize: pieceBytes(body),
      params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
      info: true,
    });
    outputs.push(buffer);
    bytesLeft -= buffer.length;
    at += engine.bytesWritten;
  }
  return outputs.length === 1 ? outputs[0]! : Buffer.concat(outputs);
}

function pieceBytes(body: Buffer): number {
  return Math.min(Math.max(4 * body.length, pieceBytesMin), pieceBytesMax);
}
