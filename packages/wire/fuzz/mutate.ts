import type { Random } from '@weir/core';

/** Numbers at which lengths, counts and offsets go wrong. */
const numbers = [-1, -2, 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, -0x8000_0000];
/** The largest varint of 32 bits, one beyond, and one that never ends. */
const varints = ['ffffffff0f', 'ffffffff1f', 'ffffffffff', '8000', '8180808000'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const mutations: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const at = random.below(bytes.length);
    bytes[at] = bytes[at]! ^ (1 << random.below(8));
    return bytes;
  },
  function setByte(bytes, random) {
    bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  function setNumber(bytes, random) {
    const size = [1, 2, 4][random.below(3)]!;
    if (bytes.length < size) return bytes;
    const value = BigInt.asUintN(size * 8, BigInt(numbers[random.below(numbers.length)]!));
    bytes.writeUIntBE(Number(value), random.below(bytes.length - size + 1), size);
    return bytes;
  },
  function setVarint(bytes, random) {
    varints[random.below(varints.length)]!.copy(bytes, random.below(bytes.length));
    return bytes;
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
  function append(bytes, random) {
    const tail = Buffer.alloc(1 + random.below(16), random.below(256));
    return Buffer.concat([bytes, tail]);
  },
  function remove(bytes, random) {
    const from = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + random.below(8))]);
  },
  function repeat(bytes, random) {
    const from = random.below(bytes.length);
    const part = bytes.subarray(from, from + 1 + random.below(32));
    return Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(from)]);
  },
  function splice(bytes, random, other) {
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length)),
      other.subarray(random.below(Math.max(1, other.length))),
    ]);
  },
];

/** Returns a copy of the bytes with one to four defects. */
export function mutate(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let mutated: Buffer = Buffer.from(bytes);
  for (let rounds = 1 + random.below(4); rounds > 0 && mutated.length > 0; rounds--) {
    mutated = mutations[random.below(mutations.length)]!(mutated, random, other);
  }
  return mutated;
}
