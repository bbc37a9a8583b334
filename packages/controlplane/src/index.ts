export {
  type AgentKey,
  type Authorize,
  authorizeByAgentKeys,
  generateAgentKey,
  hashAgentKey,
} from './agent-keys.ts';
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './server.ts';
