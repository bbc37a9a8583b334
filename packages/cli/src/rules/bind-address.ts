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
    'nothing listens on the advertised IPv6 address; -bindAddress :: listens on both',
  ).problem;
}

export const bindAddressRule: Rule = {
  statement:
    'An agent advertises -bindAddress to clients and other agents, unless it is 0.0.0.0 or ::, or ' +
    '-advertiseHostnameStrategy is hostname. With auto-ip6 it must not be an IPv4 address.',
  flags: ['bindAddress', 'advertiseHostnameStrategy'],
  commands: ['agent'],
  check: checkBindAddress,
};
