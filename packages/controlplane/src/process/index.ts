/** What starting a control plane takes, without what can be loaded later. */
export { freshKeySecret } from '../accounts/secrets.ts';
export {
  type ControlPlaneProcess,
  type ReadyProcess,
  startControlPlaneProcess,
} from './control-plane-process.ts';
export { DatabaseProblem } from './database-problem.ts';
export type { ControlPlaneProcessOptions } from './options.ts';
export { SettingsFileProblem } from './settings-file-problem.ts';
