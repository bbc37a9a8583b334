import { createCipheriv, createDecipheriv } from 'node:crypto';
import { getBytes } from '../go/coerce.ts';
import { compressors, decompressors } from '../go/compression.ts';
import { type MethodBody, type MethodSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { fail, LimitError, wrongType } from '../values/mapping-error.ts';
import { Bytes, type Value } from '../values/value.ts';
import { encodingNamed } from './base-encodings.ts';
import { hashNamed } from './hashes.ts';

const category = 'encoding and encryption';

function bytesOf(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof Bytes) return value.buffer;
  throw wrongType(value, 'string');
}

/** Bytes to bytes; the result is charged by its size. */
function onBytes(change: (bytes: Buffer) => Buffer): MethodBody {
  return (value, frame) => {
    const bytes = bytesOf(value);
    frame.run.budget.step(1 + (bytes.length >>> 8));
    const changed = change(bytes);
    frame.run.budget.build(changed.length);
    return new Bytes(changed);
  };
}

function named<Codec>(codecs: Readonly<Record<string, Codec>>, name: string, what: string): Codec {
  return (
    (Object.hasOwn(codecs, name) ? codecs[name] : undefined) ?? fail(`${what} type not recognised: ${name}`)
  );
}

const decompressMethod: NonNullable<MethodSpec['make']> = (args) => {
  const decompressor = named(decompressors, args.string('algorithm'), 'decompression');
  return (value, frame) => {
    const bytes = getBytes(value);
    const { budget } = frame.run;
    try {
      const inflated = decompressor(bytes, budget.bytesLeft);
      budget.build(inflated.length);
      return new Bytes(inflated);
    } catch (error) {
      if (error instanceof LimitError) throw error;
      // A bomb must not be something that a mapping goes on after.
      if (isTooLarge(error)) budget.build(Number.POSITIVE_INFINITY);
      return fail(error instanceof Error ? error.message : String(error));
    }
  };
};

function isTooLarge(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return (
    code === 'ERR_BUFFER_TOO_LARGE' ||
    (error instanceof Error && error.constructor.name === 'OutputLimitExceeded')
  );
}

const gcmTagBytes = 16;

/** AES with what the key's length says. */
function cipherOf(scheme: string, key: Buffer, iv: Buffer): string {
  if (![16, 24, 32].includes(key.length)) fail(`crypto/aes: invalid key size ${key.length}`);
  if (!['ctr', 'cbc', 'gcm', 'ofb'].includes(scheme)) fail(`unrecognized encryption type: ${scheme}`);
  if (scheme !== 'gcm' && iv.length !== 16) fail('the key must match the initialisation vector size');
  return `aes-${key.length * 8}-${scheme}`;
}

function encrypted(scheme: string, key: Buffer, iv: Buffer): (bytes: Buffer) => Buffer {
  const cipher = cipherOf(scheme, key, iv);
  return (bytes) => {
    if (scheme === 'cbc' && bytes.length % 16 !== 0) fail('plaintext is not a multiple of the block size');
    if (scheme === 'gcm') {
      const gcm = createCipheriv(cipher as 'aes-128-gcm', key, iv);
      return Buffer.concat([gcm.update(bytes), gcm.final(), gcm.getAuthTag()]);
    }
    const stream = createCipheriv(cipher, key, iv).setAutoPadding(false);
    return Buffer.concat([stream.update(bytes), stream.final()]);
  };
}

function decrypted(scheme: string, key: Buffer, iv: Buffer): (bytes: Buffer) => Buffer {
  const cipher = cipherOf(scheme, key, iv);
  return (bytes) => {
    if (scheme === 'cbc' && bytes.length % 16 !== 0) fail('ciphertext is not a multiple of the block size');
    try {
      if (scheme !== 'gcm') {
        const stream = createDecipheriv(cipher, key, iv).setAutoPadding(false);
        return Buffer.concat([stream.update(bytes), stream.final()]);
      }
      const end = Math.max(0, bytes.length - gcmTagBytes);
      const gcm = createDecipheriv(cipher as 'aes-128-gcm', key, iv);
      gcm.setAuthTag(bytes.subarray(end));
      return Buffer.concat([gcm.update(bytes.subarray(0, end)), gcm.final()]);
    } catch {
      return fail('gcm decrypting failed: cipher: message authentication failed');
    }
  };
}

const aesParams = [param.string('scheme'), param.binary('key'), param.binary('iv')];

export const encodingMethods: readonly MethodSpec[] = [
  {
    name: 'encode',
    category,
    doc: 'Yields bytes as a text: base64, base64url, base64rawurl, hex, ascii85 or z85.',
    params: [param.string('scheme')],
    make: (args) => {
      const { encode } = encodingNamed(args.string('scheme'));
      return (value, frame) => {
        const bytes = bytesOf(value);
        frame.run.budget.build(2 * bytes.length);
        return encode(bytes);
      };
    },
  },
  {
    name: 'decode',
    category,
    doc: 'Yields the bytes of a text that `encode` made.',
    params: [param.string('scheme')],
    make: (args) => onBytes(encodingNamed(args.string('scheme')).decode),
  },
  {
    name: 'compress',
    category,
    doc: 'Compresses: flate, gzip, pgzip, lz4, snappy, zlib or zstd.',
    params: [param.string('algorithm'), withDefault(param.integer('level'), -1)],
    make: (args) => {
      const compressor = named(compressors, args.string('algorithm'), 'compression');
      const level = args.integer('level');
      return (value, frame) =>
        onBytes((bytes) => compressor(bytes, level))(new Bytes(getBytes(value)), frame);
    },
  },
  {
    name: 'decompress',
    category,
    doc: 'Decompresses what `compress` made, and bzip2.',
    params: [param.string('algorithm')],
    make: decompressMethod,
  },
  {
    name: 'encrypt_aes',
    category,
    doc: 'Encrypts with AES: ctr, gcm, cbc or ofb.',
    params: aesParams,
    make: (args) => onBytes(encrypted(args.string('scheme'), args.binary('key'), args.binary('iv'))),
  },
  {
    name: 'decrypt_aes',
    category,
    doc: 'Decrypts with AES: ctr, gcm, cbc or ofb.',
    params: aesParams,
    make: (args) => onBytes(decrypted(args.string('scheme'), args.binary('key'), args.binary('iv'))),
  },
  {
    name: 'hash',
    category,
    doc: 'Hashes: hmac_sha1, hmac_sha256, hmac_sha512 (with a key), md5, sha1, sha256, sha512, xxhash64, crc32 or fnv32.',
    params: [
      param.string('algorithm'),
      optional(param.binary('key')),
      withDefault(param.string('polynomial'), 'IEEE'),
    ],
    make: (args) =>
      onBytes(hashNamed(args.string('algorithm'), args.optionalBinary('key'), args.string('polynomial'))),
  },
];
