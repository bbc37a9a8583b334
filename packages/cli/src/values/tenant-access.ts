import { problemOfHostRule, problemOfListedVariable } from '@weir/cluster/outbound';
import type { ValueType } from './value-type.ts';

/** A host that configurations of tenants may name. */
export function targetHost(): ValueType<string> {
  return {
    label: 'target host',
    syntax:
      '`public`, `loopback`, `registry.example.com`, `*.example.com:443`, `10.0.0.0/8` or `[fd00::1]:8081`',
    allowed: 'public, loopback, a host name, *.domain, an address or a network, with a port or without',
    parse: (text) => checked(text.trim(), problemOfHostRule),
    print: (value) => value,
  };
}

/** A variable that configurations of tenants may name. */
export function tenantVariable(): ValueType<string> {
  return {
    label: 'variable',
    allowed: 'the name of an environment variable that weir does not read itself',
    parse: (text) => checked(text.trim(), problemOfListedVariable),
    print: (value) => value,
  };
}

function checked(value: string, problemOf: (value: string) => string | undefined) {
  const problem = problemOf(value);
  return problem === undefined ? { value } : { problem };
}
