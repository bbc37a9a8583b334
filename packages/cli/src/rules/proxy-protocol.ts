import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

/** The proxies that are trusted if the operator names none: private addresses and the machine itself. */
export const privateCidrs: readonly string[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  '127.0.0.0/8',
  '::1/128',
];

const dependents = [
  'kafkaProxyProtocolPrincipalTLVType',
  'kafkaProxyProtocolTrustedCIDRs',
  'kafkaProxyProtocolAllowSuperusers',
] as const;

type Values = Pick<FlagValues, 'kafkaProxyProtocol' | (typeof dependents)[number]>;

/** Any peer could send the header, so a superuser needs proxies that the operator names. */
export function checkProxyProtocol(values: Values): Violation | undefined {
  if (values.kafkaProxyProtocol) {
    const { kafkaProxyProtocolTrustedCIDRs: named, kafkaProxyProtocolAllowSuperusers: allows } = values;
    if (named.length > 0 || !allows) return undefined;
    return missing(
      ['kafkaProxyProtocolTrustedCIDRs'],
      'is required with -kafkaProxyProtocolAllowSuperusers: the CIDR blocks of the proxies, such as 10.0.0.0/16',
    ).problem;
  }
  const {
    kafkaProxyProtocolPrincipalTLVType: type,
    kafkaProxyProtocolTrustedCIDRs: cidrs,
    kafkaProxyProtocolAllowSuperusers: allows,
  } = values;
  const isSet = [type !== undefined, cidrs.length > 0, allows];
  const first = dependents.find((_name, index) => isSet[index]);
  if (first === undefined) return undefined;
  return forbidden([first], 'needs -kafkaProxyProtocol').problem;
}

export const proxyProtocolRule: Rule = {
  statement:
    '-kafkaProxyProtocolPrincipalTLVType, -kafkaProxyProtocolTrustedCIDRs and -kafkaProxyProtocolAllowSuperusers need -kafkaProxyProtocol, and -kafkaProxyProtocolAllowSuperusers needs -kafkaProxyProtocolTrustedCIDRs.',
  flags: ['kafkaProxyProtocol', ...dependents],
  commands: ['agent'],
  check: checkProxyProtocol,
};
