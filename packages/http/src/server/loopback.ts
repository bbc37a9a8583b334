import { isIP } from 'node:net';

/** Whether a host, as in a URL or a setting, is this machine for every program on it. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
