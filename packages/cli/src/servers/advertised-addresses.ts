import { hostname, networkInterfaces } from 'node:os';
import { type AdvertisedHost, advertisedHost, type Machine } from '@weir/broker';
import { Failure } from '@weir/core';
import type { FlagValues } from '../flags/catalogue.ts';
import { onlyAddress } from './bind-address.ts';

type AddressValues = Pick<
  FlagValues,
  'bindAddress' | 'discoveryKafkaHostnameOverride' | 'advertiseHostnameStrategy'
>;

/** The host that an agent advertises to clients. */
export function advertisedClientHost(values: AddressValues, machine = thisMachine()): string {
  if (values.discoveryKafkaHostnameOverride !== undefined) return values.discoveryKafkaHostnameOverride;
  const reached = machineAddress(values, machine);
  if ('problem' in reached) throw new Failure(reached.problem);
  return reached.host;
}

/**
 * The host that an agent advertises to other agents. They need the machine itself, which the clients' name may not
 * resolve to.
 */
export function advertisedAgentHost(
  values: AddressValues,
  clientsHost: string,
  machine = thisMachine(),
): string {
  const reached = machineAddress(values, machine);
  return 'problem' in reached ? clientsHost : reached.host;
}

function machineAddress(
  { bindAddress, advertiseHostnameStrategy: strategy }: AddressValues,
  machine: Machine,
): AdvertisedHost {
  const only = onlyAddress(bindAddress);
  // An agent that listens on one address is reachable only there. With a host name, the operator is responsible that it
  // resolves to that address.
  if (only !== undefined && strategy !== 'hostname') return { host: only };
  return advertisedHost(strategy, machine);
}

function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return { hostname: hostname(), addresses };
}
