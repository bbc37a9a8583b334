import type { Random } from '@weir/core';
import { type FunctionSpec, optional, param, withDefault } from '../runtime/spec.ts';
import { fail } from '../values/mapping-error.ts';
import { intValue } from '../values/numbers.ts';

const category = 'general';

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

function uuidV4(random: Random): string {
  const bytes = randomBytes(random, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Digits of a number of a fixed length, highest first. */
function digitsOf(bytes: Buffer, alphabet: string, length: number): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  const base = BigInt(alphabet.length);
  let text = '';
  for (let index = 0; index < length; index++) {
    text = alphabet[Number(value % base)]! + text;
    value /= base;
  }
  return text;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const nanoAlphabet = '_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ksuidEpochSeconds = 1_400_000_000;
const snowflakeEpochMs = 1_288_834_974_657n;
const nanoLengthMax = 1000;

function timePrefixed(value: bigint, bytes: number, rest: Buffer): Buffer {
  return Buffer.concat([Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex'), rest]);
}

const nanoid: FunctionSpec['make'] = (args) => {
  const [length, alphabet] = [args.optionalInteger('length') ?? 21, args.optionalString('alphabet')];
  if (alphabet !== undefined && !args.has('length'))
    fail('field length must be specified when an alphabet is specified');
  if (length < 1 || length > nanoLengthMax) fail(`length must be between 1 and ${nanoLengthMax}`);
  const characters = [...(alphabet ?? nanoAlphabet)];
  if (characters.length === 0 || characters.length > 255)
    fail('alphabet must have between 1 and 255 characters');
  return ({ run: { ports } }) =>
    Array.from({ length }, () => characters[ports.random.below(characters.length)]!).join('');
};

const snowflake: FunctionSpec['make'] = (args) => {
  const node = args.bigint('node_id');
  if (node < 0n || node > 1023n) fail('Node number must be between 0 and 1023');
  let last = 0n;
  let sequence = 0n;
  return ({ run: { ports } }) => {
    let now = BigInt(Math.floor(ports.clock.nowMs())) - snowflakeEpochMs;
    if (now < last) now = last;
    sequence = now === last ? sequence + 1n : 0n;
    // A full millisecond borrows from the next one.
    if (sequence > 4095n) {
      now += 1n;
      sequence = 0n;
    }
    last = now;
    return String(intValue((now << 22n) | (node << 12n) | sequence));
  };
};

export const idFunctions: readonly FunctionSpec[] = [
  {
    name: 'uuid_v4',
    category,
    doc: 'Yields a random UUID.',
    needs: 'chance',
    params: [],
    make:
      () =>
      ({ run }) =>
        uuidV4(run.ports.random),
  },
  {
    name: 'nanoid',
    category,
    doc: 'Yields a random id of a length, from an alphabet.',
    needs: 'chance',
    params: [optional(param.integer('length')), optional(param.string('alphabet'))],
    make: nanoid,
  },
  {
    name: 'ksuid',
    category,
    doc: 'Yields a KSUID, an id that sorts by time.',
    needs: 'chance',
    params: [],
    make:
      () =>
      ({ run: { ports } }) => {
        const seconds = BigInt(Math.floor(ports.clock.nowMs() / 1000) - ksuidEpochSeconds);
        return digitsOf(timePrefixed(seconds, 4, randomBytes(ports.random, 16)), base62, 27);
      },
  },
  {
    name: 'ulid',
    category,
    doc: 'Yields a ULID, an id that sorts by time.',
    status: 'experimental',
    needs: 'chance',
    params: [
      withDefault(param.string('encoding'), 'crockford'),
      withDefault(param.string('random_source'), 'secure_random'),
    ],
    make: (args) => {
      const encoding = args.string('encoding');
      if (encoding !== 'crockford' && encoding !== 'hex') fail(`invalid ulid encoding: ${encoding}`);
      return ({ run: { ports } }) => {
        const milliseconds = BigInt(Math.floor(ports.clock.nowMs()));
        const bytes = timePrefixed(milliseconds, 6, randomBytes(ports.random, 10));
        return encoding === 'hex' ? bytes.toString('hex') : digitsOf(bytes, crockford, 26);
      };
    },
  },
  {
    name: 'snowflake_id',
    category,
    doc: 'Yields a Snowflake id, a number that sorts by time.',
    needs: 'chance',
    params: [withDefault(param.integer('node_id'), 1)],
    make: snowflake,
  },
];
