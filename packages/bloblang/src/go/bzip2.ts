import { OutputLimitExceeded } from '@weir/wire';

const blockMagic = 0x314159265359;
const endMagic = 0x177245385090;
const blockBytesUnit = 100_000;
const symbolsPerSelector = 50;
const codeBitsMax = 20;

/** CRC-32 as bzip2 has it, with the highest bit first. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;
  #buffer = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Up to 24 bits, the highest first. */
  read(count: number): number {
    while (this.#count < count) {
      if (this.#at >= this.#bytes.length) throw new Error('unexpected end of bzip2 data');
      this.#buffer = ((this.#buffer << 8) | this.#bytes[this.#at++]!) & 0xffffffff;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#buffer >>> this.#count) & ((1 << count) - 1);
  }

  read48(): number {
    return this.read(24) * 2 ** 24 + this.read(24);
  }

  read32(): number {
    return this.read(16) * 2 ** 16 + this.read(16);
  }

  alignToByte(): void {
    this.#count -= this.#count % 8;
  }

  get isAtEnd(): boolean {
    return this.#count < 8 && this.#at >= this.#bytes.length;
  }
}

/** A Huffman code whose codes of one length follow each other. */
class Code {
  readonly #symbols: Uint16Array;
  /** By length, the highest code, and what to subtract of a code to find its symbol. */
  readonly #limits = new Int32Array(codeBitsMax + 2).fill(-1);
  readonly #bases = new Int32Array(codeBitsMax + 2);

  constructor(lengths: Uint8Array) {
    const ordered = [...lengths.keys()].sort((a, b) => lengths[a]! - lengths[b]! || a - b);
    this.#symbols = Uint16Array.from(ordered);
    let code = 0;
    let index = 0;
    for (let length = 1; length <= codeBitsMax; length++) {
      const first = index;
      while (index < ordered.length && lengths[ordered[index]!] === length) index++;
      this.#bases[length] = code - first;
      code += index - first;
      if (index > first) this.#limits[length] = code - 1;
      if (code > 1 << length) throw new Error('bzip2 data with an impossible code');
      code <<= 1;
    }
  }

  read(bits: Bits): number {
    let code = 0;
    for (let length = 1; length <= codeBitsMax; length++) {
      code = (code << 1) | bits.read(1);
      if (code <= this.#limits[length]!) {
        const index = code - this.#bases[length]!;
        if (index >= 0 && index < this.#symbols.length) return this.#symbols[index]!;
      }
    }
    throw new Error('bzip2 data with an unknown code');
  }
}

/** What is decompressed, up to a limit. */
class Output {
  readonly #bytesMax: number;
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #count = 0;
  crc = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(byte: number, times: number): void {
    const end = this.#count + times;
    if (end > this.#bytesMax) throw new OutputLimitExceeded('bzip2', 0, this.#bytesMax);
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#count);
      this.#bytes = larger;
    }
    for (; this.#count < end; this.#count++) {
      this.#bytes[this.#count] = byte;
      this.crc = ((this.crc << 8) ^ crcTable[(this.crc >>> 24) ^ byte]!) >>> 0;
    }
  }

  get whole(): Buffer {
    return this.#bytes.subarray(0, this.#count);
  }
}

/** The bytes that occur in a block. */
function usedBytes(bits: Bits): Uint8Array {
  const groups = bits.read(16);
  const used: number[] = [];
  for (let group = 0; group < 16; group++) {
    if (((groups >> (15 - group)) & 1) === 0) continue;
    const members = bits.read(16);
    for (let at = 0; at < 16; at++) if (((members >> (15 - at)) & 1) === 1) used.push(group * 16 + at);
  }
  if (used.length === 0) throw new Error('bzip2 data with a block without bytes');
  return Uint8Array.from(used);
}

function selectorsOf(bits: Bits, codeCount: number): Uint8Array {
  const count = bits.read(15);
  if (count === 0) throw new Error('bzip2 data with a block without codes');
  const order = [...Array(codeCount).keys()];
  const selectors = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    let place = 0;
    while (bits.read(1) === 1) if (++place >= codeCount) throw new Error('bzip2 data with an unknown code');
    const [chosen] = order.splice(place, 1);
    order.unshift(chosen!);
    selectors[at] = chosen!;
  }
  return selectors;
}

function codeOf(bits: Bits, symbolCount: number): Code {
  const lengths = new Uint8Array(symbolCount);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    for (;;) {
      if (length < 1 || length > codeBitsMax) throw new Error('bzip2 data with an impossible code');
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return new Code(lengths);
}

/** The symbols of a block: bytes moved to the front, and runs of the first one. Returns how many bytes there are. */
function readSymbols(bits: Bits, block: Uint32Array): number {
  const front = usedBytes(bits);
  const codeCount = bits.read(3);
  if (codeCount < 2 || codeCount > 6) throw new Error('bzip2 data with an impossible number of codes');
  const selectors = selectorsOf(bits, codeCount);
  const endSymbol = front.length + 1;
  const codes = Array.from({ length: codeCount }, () => codeOf(bits, endSymbol + 1));
  let count = 0;
  let run = 0;
  let runBit = 1;
  for (let at = 0; ; at++) {
    const selector = selectors[Math.floor(at / symbolsPerSelector)];
    if (selector === undefined) throw new Error('bzip2 data with too few codes');
    const symbol = codes[selector]!.read(bits);
    if (symbol <= 1) {
      run += runBit << symbol;
      runBit <<= 1;
      if (run > block.length) throw new Error('bzip2 data with a block that is too long');
      continue;
    }
    if (count + run > block.length) throw new Error('bzip2 data with a block that is too long');
    block.fill(front[0]!, count, count + run);
    count += run;
    run = 0;
    runBit = 1;
    if (symbol === endSymbol) return count;
    if (count >= block.length) throw new Error('bzip2 data with a block that is too long');
    const byte = front[symbol - 1]!;
    front.copyWithin(1, 0, symbol - 1);
    front[0] = byte;
    block[count++] = byte;
  }
}

/** Returns the checksum of the block. */
function readBlock(bits: Bits, block: Uint32Array, output: Output): number {
  const expectedCrc = bits.read32();
  if (bits.read(1) === 1) throw new Error('bzip2 data of a version that is not supported');
  const origin = bits.read(24);
  const count = readSymbols(bits, block);
  if (origin >= count) throw new Error('bzip2 data with a block that begins nowhere');
  // The transform of Burrows and Wheeler: each entry becomes its byte, and where the next one is above it.
  const starts = new Uint32Array(257);
  for (let at = 0; at < count; at++) starts[(block[at]! & 0xff) + 1]!++;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1]! += starts[byte]!;
  for (let at = 0; at < count; at++) block[starts[block[at]! & 0xff]!++]! |= at << 8;
  output.crc = 0xffffffff;
  let next = block[origin]! >>> 8;
  let last = -1;
  let repeats = 0;
  for (let left = count; left > 0; left--) {
    const entry = block[next]!;
    next = entry >>> 8;
    const byte = entry & 0xff;
    // Four equal bytes are followed by how often the byte comes again.
    if (repeats === 4) {
      output.push(last, byte);
      repeats = 0;
      last = -1;
      continue;
    }
    repeats = byte === last ? repeats + 1 : 1;
    last = byte;
    output.push(byte, 1);
  }
  if (~output.crc >>> 0 !== expectedCrc) throw new Error('bzip2 data with a wrong checksum');
  return expectedCrc;
}

/** Decompresses one or more streams of bzip2; throws instead of making more than a number of bytes. */
export function decompressBzip2(bytes: Buffer, outputBytesMax: number): Buffer {
  const bits = new Bits(bytes);
  const output = new Output(outputBytesMax);
  do {
    if (bits.read(16) !== 0x425a || bits.read(8) !== 0x68) throw new Error('no bzip2 data');
    const level = bits.read(8) - 0x30;
    if (level < 1 || level > 9) throw new Error('no bzip2 data');
    const block = new Uint32Array(level * blockBytesUnit);
    let crc = 0;
    for (;;) {
      const magic = bits.read48();
      if (magic === endMagic) break;
      if (magic !== blockMagic) throw new Error('bzip2 data with an unknown block');
      crc = (((crc << 1) | (crc >>> 31)) ^ readBlock(bits, block, output)) >>> 0;
    }
    if (bits.read32() !== crc) throw new Error('bzip2 data with a wrong checksum');
    bits.alignToByte();
  } while (!bits.isAtEnd);
  return output.whole;
}
