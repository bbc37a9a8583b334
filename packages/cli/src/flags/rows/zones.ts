import { bool } from '../../values/bool.ts';
import { oneOf, zoneName } from '../../values/text.ts';
import { zonedCidrBlocks } from '../../values/zoned-cidr-blocks.ts';
import { available } from '../row.ts';
import { brokers } from './takers.ts';

/** The zones of agents and clients, and which agent serves which partition. */
export const zoneFlags = [
  available({
    name: 'availabilityZone',
    type: zoneName(),
    commands: ['agent'],
    help: 'The availability zone of this agent.',
    rule: 'Default: read from ECS, EC2, GCP, Azure or Kubernetes, in this order.',
  }),
  available({
    name: 'lookupAvailabilityZoneID',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Use the id of the availability zone instead of its name.',
    rule: 'For zones read from EC2.',
  }),
  available({
    name: 'zonedCIDRBlocks',
    type: zonedCidrBlocks(),
    commands: ['agent'],
    help: 'The CIDR blocks of each zone, to find the zone of a client.',
    rule: 'A zone in the client id takes precedence; of several blocks the narrowest matches.',
  }),
  available({
    name: 'disableAzLookupWarnings',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Do not warn when the zone of this agent or of a client is unknown.',
    rule: 'Each warning is logged once, and at most one per minute.',
  }),
  available({
    name: 'defaultPartitionAssignmentStrategy',
    type: oneOf(
      'consistent_random_jump',
      'single_agent',
      'consistent_spread',
      'consistent_spread_bounded_load',
      'consistent_pods',
      'equal_spread',
      'equal_spread_v2',
    ),
    default: 'consistent_random_jump',
    commands: brokers,
    help: 'How to assign partitions to agents, for clients whose client id does not choose.',
  }),
];
