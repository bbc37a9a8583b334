/** A DER-encoded value. */
export interface DerValue {
  /** The identifier octet: class, constructed bit and tag number. */
  readonly tag: number;
  readonly content: Buffer;
  /** Identifier, length and content. */
  readonly encoded: Buffer;
}

export const derTags = {
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  generalString: 0x1b,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
  octetString: 0x04,
} as const;

/** Invalid DER, or DER that a certificate does not contain. */
export class DerError extends Error {}

const lengthBytesMax = 4;
const highTagNumber = 0x1f;

/** Parses consecutive values. */
export function readDerValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readDerValue(bytes, at);
    values.push(value);
    at += value.encoded.length;
  }
  return values;
}

/** Parses the parts of a constructed value and checks its tag. */
export function derParts(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new DerError(`missing value with tag ${tag}`);
  return readDerValues(value.content);
}

/** Returns an object identifier in dotted notation: `2.5.4.3`. */
export function derOid({ content }: DerValue): string {
  const numbers: number[] = [];
  let number = 0;
  for (const [index, octet] of content.entries()) {
    number = number * 128 + (octet & 0x7f);
    if (!Number.isSafeInteger(number)) throw new DerError('object identifier component too large');
    if (octet < 0x80) {
      numbers.push(number);
      number = 0;
    } else if (index === content.length - 1) {
      throw new DerError('truncated object identifier');
    }
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join('.');
}

function readDerValue(bytes: Buffer, at: number): DerValue {
  const tag = octetAt(bytes, at);
  if ((tag & highTagNumber) === highTagNumber) throw new DerError('multi-octet tag');
  let length = octetAt(bytes, at + 1);
  let start = at + 2;
  if (length >= 0x80) {
    const lengthBytes = length & 0x7f;
    if (lengthBytes === 0 || lengthBytes > lengthBytesMax) throw new DerError('invalid DER length');
    octetAt(bytes, start + lengthBytes - 1);
    length = bytes.readUIntBE(start, lengthBytes);
    start += lengthBytes;
  }
  if (length > bytes.length - start) throw new DerError('truncated value');
  const end = start + length;
  return { tag, content: bytes.subarray(start, end), encoded: bytes.subarray(at, end) };
}

function octetAt(bytes: Buffer, at: number): number {
  const octet = bytes[at];
  if (octet === undefined) throw new DerError('truncated value');
  return octet;
}
