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
import { HttpProblem } from '@weir/http';
import { decompressOffThread, OutputLimitExceeded } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';

type Inflate = (body: Buffer, bytesMax: number) => Promise<Buffer>;

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
  zstd: inflateZstd,
  snappy: inflateSnappy,
};
const inflateZlib = zlibInflate(promisify(inflate));
const inflateBare = zlibInflate(promisify(inflateRaw));

/** Encodings of one body. More of them would be more work than its bytes pay for. */
const encodingsMax = 2;

/**
 * Undoes `Content-Encoding`, in threads of the pool. Returns undefined if the output, or what lies between two
 * encodings, has more than `bytesMax`.
 */
export async function inflatedBody(
  body: Buffer,
  encodings: string,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const names = encodings.split(',', encodingsMax + 1).map((name) => name.trim().toLowerCase());
  const isKnown = names.every((name) => name === 'identity' || Object.hasOwn(inflations, name));
  if (!isKnown || names.length > encodingsMax)
    throw new HttpProblem(415, 'Send the body as it is, or with one of gzip, deflate and zstd.');
  let output = body;
  for (const name of names.reverse()) {
    if (name === 'identity') continue;
    try {
      output = await inflations[name]!(output, bytesMax);
    } catch (error) {
      if (isTooLarge(error)) return undefined;
      throw new HttpProblem(400, `The body is not ${name}.`);
    }
  }
  return output;
}

function isTooLarge(error: unknown): boolean {
  return (
    error instanceof OutputLimitExceeded ||
    (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_BUFFER_TOO_LARGE'
  );
}

function zlibInflate(work: (body: Buffer, options: ZlibOptions) => Promise<Buffer>): Inflate {
  return (body, bytesMax) => work(body, { maxOutputLength: bytesMax, chunkSize: pieceBytes(body) });
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
    if (outputs.length === wireLimits.zstdFramesMax) throw new Error('too many frames');
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

/** One block, as Prometheus and Loki send it, between the parts of which it cannot pause. */
function inflateSnappy(body: Buffer, bytesMax: number): Promise<Buffer> {
  return decompressOffThread('snappy', body, bytesMax, { pause: async () => undefined });
}

function pieceBytes(body: Buffer): number {
  return Math.min(Math.max(4 * body.length, pieceBytesMin), pieceBytesMax);
}
