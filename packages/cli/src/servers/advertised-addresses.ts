import { hostname, networkInterfaces } from 'node:os';
import { type AdvertisedHost, advertisedHost, type Machine } from '@weir/agent';
import { Failure } from '../failure.ts';
import type { FlagValues } from '../flags/catalogue.ts';
import { onlyAddress } from './bind-address.ts';

type AddressValues = Pick<
  FlagValues,
  'bindAddress' | 'discoveryKafkaHostnameOverride' | 'advertiseHostnameStrategy'
>;

/** The host that an agent tells clients to connect to. */
export function clientsReach(values: AddressValues, machine = thisMachine()): string {
  if (values.discoveryKafkaHostnameOverride !== undefined) return values.discoveryKafkaHostnameOverride;
  const reached = machineAddress(values, machine);
  if ('problem' in reached) throw new Failure(reached.problem);
  return reached.host;
}

/** Other agents need the machine, which a name for clients may not lead to. */
export function agentsReach(values: AddressValues, clientsHost: string, machine = thisMachine()): string {
  const reached = machineAddress(values, machine);
  return 'problem' in reached ? clientsHost : reached.host;
}

function machineAddress(
  { bindAddress, advertiseHostnameStrategy: strategy }: AddressValues,
  machine: Machine,
): AdvertisedHost {
  const only = onlyAddress(bindAddress);
  // An agent that listens at one address is reached there and nowhere else. What a host name leads to is the operator's promise.
  if (only !== undefined && strategy !== 'hostname') return { host: only };
  return advertisedHost(strategy, machine);
}

function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return { hostname: hostname(), addresses };
}
