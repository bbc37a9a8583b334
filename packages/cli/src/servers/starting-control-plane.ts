import {
  type ControlPlaneProcess,
  type ControlPlaneProcessOptions,
  SettingsFileProblem,
  startControlPlaneProcess,
} from '@weir/controlplane/process';
import { Failure } from '../failure.ts';

/** Starts a control plane. A file of the operator's that cannot be used is told in one line. */
export async function startingControlPlane(
  options: ControlPlaneProcessOptions,
): Promise<ControlPlaneProcess> {
  try {
    return await startControlPlaneProcess(options);
  } catch (error) {
    throw error instanceof SettingsFileProblem ? new Failure(error.message) : error;
  }
}
