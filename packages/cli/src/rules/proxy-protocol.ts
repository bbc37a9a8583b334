import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, missing, type Rule, type Violation } from './rule.ts';

const dependents = [
  'kafkaProxyProtocolPrincipalTLVType',
  'kafkaProxyProtocolTrustedCIDRs',
  'kafkaProxyProtocolAllowSuperusers',
] as const;

type Values = Pick<FlagValues, 'kafkaProxyProtocol' | (typeof dependents)[number]>;

/** Any peer could send the header, so an agent does not start unless the operator names the trusted proxies. */
export function checkProxyProtocol(values: Values): Violation | undefined {
  if (values.kafkaProxyProtocol) {
    if (values.kafkaProxyProtocolTrustedCIDRs.length > 0) return undefined;
    return missing(
      ['kafkaProxyProtocolTrustedCIDRs'],
      'required with -kafkaProxyProtocol: the CIDR blocks of the proxies, such as 10.0.0.0/16',
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
    '-kafkaProxyProtocol needs -kafkaProxyProtocolTrustedCIDRs; -kafkaProxyProtocolPrincipalTLVType, -kafkaProxyProtocolTrustedCIDRs and -kafkaProxyProtocolAllowSuperusers need -kafkaProxyProtocol.',
  flags: ['kafkaProxyProtocol', ...dependents],
  commands: ['agent'],
  check: checkProxyProtocol,
};
