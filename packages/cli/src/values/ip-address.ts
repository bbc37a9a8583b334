import { isIP, isIPv6 } from 'node:net';
import type { ValueType } from './value-type.ts';

/** One address, IPv4 or IPv6. IPv6 may be in brackets, as in a URL. */
export function ipAddress(): ValueType<string> {
  return {
    label: 'IP address',
    syntax: '`127.0.0.1`, `::1` or `[::1]`',
    allowed: 'an IPv4 or IPv6 address',
    parse(text) {
      const inBrackets = /^\[(.+)\]$/.exec(text.trim())?.[1];
      const address = inBrackets ?? text.trim();
      const isValid = inBrackets === undefined ? isIP(address) !== 0 : isIPv6(address);
      return isValid ? { value: address } : { problem: 'an IP address such as 127.0.0.1 or ::1 is needed' };
    },
    print: (value) => value,
  };
}
