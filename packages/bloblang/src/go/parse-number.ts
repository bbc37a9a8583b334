import { fail } from '../values/mapping-error.ts';

function refuse(parser: string, text: string, why: 'invalid syntax' | 'value out of range'): never {
  return fail(`strconv.${parser}: parsing ${JSON.stringify(text.slice(0, 200))}: ${why}`);
}

const decimalFloat = /^[+-]?(?:\d+(?:_?\d)*\.?(?:\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexFloat = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/;

/** `strconv.ParseFloat` for 64 bits. */
export function parseFloatText(text: string): number {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special) {
    if (special[2]!.toLowerCase() === 'nan') {
      if (special[1] !== '') refuse('ParseFloat', text, 'invalid syntax');
      return Number.NaN;
    }
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const hex = hexFloat.exec(text);
  if (hex && hex[2]! + hex[3]! !== '') {
    const mantissa = Number(BigInt(`0x${hex[2]}${hex[3]}`));
    const value = mantissa * 2 ** (Number(hex[4]) - 4 * hex[3]!.length);
    return hex[1] === '-' ? -value : value;
  }
  if (!decimalFloat.test(text) || text.includes('_')) refuse('ParseFloat', text, 'invalid syntax');
  const value = Number(text);
  if (!Number.isFinite(value)) refuse('ParseFloat', text, 'value out of range');
  return value;
}

const intPattern =
  /^([+-]?)(0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*|0[0-7]*(?:_[0-7]+)*|[1-9]\d*(?:_\d+)*)$/;

/** `strconv.ParseInt` or `ParseUint` with base 0 and 64 bits. */
export function parseIntText(text: string, isSigned: boolean): bigint {
  const parser = isSigned ? 'ParseInt' : 'ParseUint';
  const found = intPattern.exec(text);
  if (!found || (!isSigned && found[1] !== '')) refuse(parser, text, 'invalid syntax');
  const digits = found[2]!.replaceAll('_', '');
  const isOctal = /^0[0-7]+$/.test(digits);
  const absolute = BigInt(isOctal ? `0o${digits.slice(1)}` : digits);
  const value = found[1] === '-' ? -absolute : absolute;
  const isOutside = isSigned ? value !== BigInt.asIntN(64, value) : value !== BigInt.asUintN(64, value);
  if (isOutside) refuse(parser, text, 'value out of range');
  return value;
}
