export { type AgentOptions, type RunningAgent, startAgent } from './agent.ts';
export { type AdvertisedHost, advertisedHost, type HostStrategy } from './placement/advertised-host.ts';
