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
    help: 'The availability zone of this agent, instead of asking the platform.',
    rule: 'Without it ECS, EC2, GCP, Azure and Kubernetes are asked, in this order of preference.',
  }),
  available({
    name: 'lookupAvailabilityZoneID',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Use the id of the availability zone rather than its name.',
    rule: 'For zones that are asked for on EC2, which has both.',
  }),
  available({
    name: 'zonedCIDRBlocks',
    type: zonedCidrBlocks(),
    commands: ['agent'],
    help: 'The address blocks of each zone, to find the zone of a client by its address.',
    rule: 'A zone in the client id goes before it, and of several blocks the narrowest holds.',
  }),
  available({
    name: 'disableAzLookupWarnings',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Do not warn when the zone of this agent or of a client is unknown.',
    rule: 'Each warning comes once, and different ones at most once a minute.',
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
    help: 'How partitions are spread over agents, for clients whose client id does not say.',
  }),
];
