import type { AllowedHosts } from '@weir/cluster/outbound';
import type { Clock, Random } from '@weir/core';
import { RegistryClient } from '@weir/registry/client';
import type { Credential, RegistryAddress } from '../table-definition.ts';

interface OpenRegistryDeps {
  /** The value of a variable of the agent that configurations may name. */
  readonly variable: (name: string) => string | undefined;
  readonly allowedHosts: Pick<AllowedHosts, 'lookupFor'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens the registry that a table names. Throws if a variable is not set. */
export function openTableRegistry(
  { url, username, password }: RegistryAddress,
  { variable, ...deps }: OpenRegistryDeps,
): RegistryClient {
  const secretOf = ({ variable: name }: Credential): string => {
    const value = variable(name);
    if (value === undefined)
      throw new Error(`the variable ${name} of the schema registry is not set on this agent`);
    return value;
  };
  return new RegistryClient({
    urls: url,
    ...deps,
    ...(username !== undefined &&
      password !== undefined && {
        credentials: { kind: 'basic', username: secretOf(username), password: secretOf(password) },
      }),
  });
}
