import { isIPv6 } from 'node:net';
import type { ValueType } from './value-type.ts';

/** A broker to contact first. Without a port, another flag has it. */
export interface BootstrapAddress {
  readonly host: string;
  readonly port?: number;
}

const hostPattern = /^[A-Za-z0-9._-]{1,253}$/;
const allowed = 'a host, or a host and its port such as broker-1:9092 or [::1]:9092,';

/** As other tools write it: `broker-1`, `broker-1:9092`, `::1` or `[::1]:9092`. */
export function bootstrapAddress(): ValueType<BootstrapAddress> {
  return {
    label: 'broker',
    syntax: '`broker-1`, `broker-1:9092`, `10.0.0.7`, `::1`, `[::1]:9092`',
    allowed: 'a host name or an IP address, with or without a port',
    parse(text) {
      const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/s.exec(text) ?? [];
      // A name and its port have one colon. Only then is it asked, because the first question takes milliseconds.
      const isWhole = /:.*:/.test(text) && isIPv6(text);
      const host = isWhole ? text : (bracketed ?? plain ?? '');
      const isHost = isWhole || (bracketed === undefined ? hostPattern.test(host) : isIPv6(host));
      if (!isHost) return { problem: `${allowed} is allowed` };
      if (isWhole || digits === undefined) return { value: { host } };
      const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
      if (port < 1 || port > 65_535) return { problem: 'the port behind the host is not from 1 to 65535' };
      return { value: { host, port } };
    },
    print({ host, port }) {
      if (port === undefined) return host;
      return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    },
  };
}
