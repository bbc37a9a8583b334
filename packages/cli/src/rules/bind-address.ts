import { isIPv4 } from 'node:net';
import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

type Values = Pick<FlagValues, 'bindAddress' | 'advertiseHostnameStrategy'>;

function checkBindAddress(values: Values): Violation | undefined {
  const { bindAddress, advertiseHostnameStrategy } = values;
  if (bindAddress === undefined || !isIPv4(bindAddress) || advertiseHostnameStrategy !== 'auto-ip6') {
    return undefined;
  }
  return forbidden(
    ['bindAddress', 'advertiseHostnameStrategy'],
    'clients would be sent to an IPv6 address, where nothing listens; -bindAddress :: listens on both',
  ).problem;
}

export const bindAddressRule: Rule = {
  statement:
    'An agent with -bindAddress tells clients and other agents that address, unless it is 0.0.0.0 or ::, or ' +
    '-advertiseHostnameStrategy is hostname. With auto-ip6 it may not be an IPv4 address.',
  flags: ['bindAddress', 'advertiseHostnameStrategy'],
  commands: ['agent'],
  check: checkBindAddress,
};
