import { isIPv6 } from 'node:net';
import type { FlagValues } from '../flags/catalogue.ts';

export const loopback = '127.0.0.1';

/** Whether a listener at this address takes connections on every interface. */
export function isEveryInterface(address: string): boolean {
  return address === '0.0.0.0' || (isIPv6(address) && /^[0:.]+$/.test(address));
}

/** The address of a server that listens at one address alone. */
export function onlyAddress(bindAddress: string | undefined): string | undefined {
  return bindAddress === undefined || isEveryInterface(bindAddress) ? undefined : bindAddress;
}

/** Where a server listens. All interfaces unless told otherwise, IPv6 among them only where clients are sent there. */
export function listenAddress({
  bindAddress,
  advertiseHostnameStrategy: strategy,
}: Pick<FlagValues, 'bindAddress'> & Partial<Pick<FlagValues, 'advertiseHostnameStrategy'>>): string {
  return bindAddress ?? (strategy === 'auto-ip6' ? '::' : '0.0.0.0');
}

export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
