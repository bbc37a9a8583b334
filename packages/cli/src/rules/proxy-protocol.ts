import type { FlagValues } from '../flags/catalogue.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

type Values = Pick<FlagValues, 'kafkaProxyProtocol' | 'kafkaProxyProtocolPrincipalTLVType'>;

export function checkProxyProtocol(values: Values): Violation | undefined {
  if (values.kafkaProxyProtocol || values.kafkaProxyProtocolPrincipalTLVType === undefined) return undefined;
  return forbidden(['kafkaProxyProtocolPrincipalTLVType'], 'only goes together with -kafkaProxyProtocol')
    .problem;
}

export const proxyProtocolRule: Rule = {
  statement: '-kafkaProxyProtocolPrincipalTLVType needs -kafkaProxyProtocol.',
  flags: ['kafkaProxyProtocol', 'kafkaProxyProtocolPrincipalTLVType'],
  commands: ['agent'],
  check: checkProxyProtocol,
};
