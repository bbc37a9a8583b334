import { isIP } from 'node:net';
import type { ValueType } from './value-type.ts';

/** An address block in CIDR notation. */
export function cidr(): ValueType<string> {
  return {
    label: 'CIDR',
    syntax: '`10.0.0.0/16`',
    allowed: 'an address, a slash and the bits of its network',
    parse: (text) =>
      isCidr(text.trim()) ? { value: text.trim() } : { problem: 'a CIDR such as 10.0.0.0/16 is needed' },
    print: (value) => value,
  };
}

export function isCidr(text: string): boolean {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (match === null) return false;
  const family = isIP(match[1]!);
  return family !== 0 && Number(match[2]) <= (family === 4 ? 32 : 128);
}
