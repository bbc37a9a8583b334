export { type AgentOptions, type RunningAgent, startAgent } from './agent.ts';
export { type ZoneBlocks, type ZoneOfAddress, zonesByAddress } from './placement/address-zones.ts';
export { type AdvertisedHost, advertisedHost, type HostStrategy } from './placement/advertised-host.ts';
export { type FoundZone, lookUpZone, type ZoneLookupOptions } from './zone/look-up-zone.ts';
export { OwnZone } from './zone/own-zone.ts';
export { ZoneWarnings } from './zone/zone-warnings.ts';
