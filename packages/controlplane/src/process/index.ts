/** What starting a control plane needs, without what can be loaded later. */

export { DatabaseProblem } from '../accounts/database/database-problem.ts';
export { freshKeySecret } from '../accounts/secrets/secrets.ts';
export {
  ClusterRetired,
  type ControlPlaneProcess,
  type ReadyProcess,
  startControlPlaneProcess,
} from './control-plane-process.ts';
export type { ControlPlaneProcessOptions, MetadataBackupSettings } from './options.ts';
export { SettingsFileProblem } from './settings-file-problem.ts';
