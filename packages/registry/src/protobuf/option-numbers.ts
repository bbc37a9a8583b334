const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

const kinds: Readonly<Record<string, string>> = {
  int32: 'int32',
  sint32: 'int32',
  sfixed32: 'int32',
  uint32: 'uint32',
  fixed32: 'uint32',
  int64: 'int64',
  sint64: 'int64',
  sfixed64: 'int64',
  uint64: 'uint64',
  fixed64: 'uint64',
};

/** An integer as `.proto` texts write it: decimal, octal or hexadecimal. */
export const parseInteger = (text: string): bigint | undefined => {
  const negative = text.startsWith('-');
  const digits = negative ? text.slice(1) : text;
  if (digits.length > 24) return undefined;
  let value: bigint;
  if (/^0[0-7]+$/.test(digits)) value = BigInt(`0o${digits.slice(1)}`);
  else if (/^(?:0[xX][0-9a-fA-F]+|[0-9]+)$/.test(digits)) value = BigInt(digits);
  else return undefined;
  return negative ? -value : value;
};

/** An integer that fits a type, or `undefined`. */
export const integerOf = (text: string, type: string): bigint | undefined => {
  const value = parseInteger(text);
  return value !== undefined && fitsInteger(value, type) ? value : undefined;
};

export const fitsInteger = (value: number | bigint, type: string): boolean => {
  const [min, max] = ranges[kinds[type]!]!;
  return value >= min && value <= max;
};

/** A number with a fraction, or one of the words for what is no number. */
export const floatOf = (text: string): number | undefined => {
  const negative = text.startsWith('-');
  const word = (negative ? text.slice(1) : text).toLowerCase();
  const sign = negative ? -1 : 1;
  if (word === 'inf' || word === 'infinity') return sign * Number.POSITIVE_INFINITY;
  if (word === 'nan') return Number.NaN;
  const integer = parseInteger(text);
  if (integer !== undefined) return negative && integer === 0n ? -0 : Number(integer);
  if (!/^[0-9.][0-9.e+-]*$/.test(word)) return undefined;
  const value = Number(word);
  return Number.isNaN(value) ? undefined : sign * value;
};
