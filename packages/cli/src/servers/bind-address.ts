import { isIPv6 } from 'node:net';
import type { FlagValues } from '../flags/catalogue.ts';

export const loopback = '127.0.0.1';

/** Whether a listener on this address accepts connections on every interface. */
export function isEveryInterface(address: string): boolean {
  return address === '0.0.0.0' || (isIPv6(address) && /^[0:.]+$/.test(address));
}

/** The address of a server that listens on one address only. */
export function onlyAddress(bindAddress: string | undefined): string | undefined {
  return bindAddress === undefined || isEveryInterface(bindAddress) ? undefined : bindAddress;
}

/**
 * The address to listen on. By default all IPv4 interfaces; IPv6 is included only where clients are sent to an IPv6
 * address.
 */
export function listenAddress({
  bindAddress,
  advertiseHostnameStrategy: strategy,
}: Pick<FlagValues, 'bindAddress'> & Partial<Pick<FlagValues, 'advertiseHostnameStrategy'>>): string {
  return bindAddress ?? (strategy === 'auto-ip6' ? '::' : '0.0.0.0');
}

export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
