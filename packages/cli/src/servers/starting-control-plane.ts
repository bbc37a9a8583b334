import {
  type ControlPlaneProcess,
  type ControlPlaneProcessOptions,
  SettingsFileProblem,
  startControlPlaneProcess,
} from '@weir/controlplane/process';
import { Failure } from '@weir/core';

/** Starts a control plane. An unusable file of the operator is reported in one line. */
export async function startingControlPlane(
  options: ControlPlaneProcessOptions,
): Promise<ControlPlaneProcess> {
  const controlPlane = await startControlPlaneProcess(options);
  return {
    ...controlPlane,
    async whenReady() {
      try {
        return await controlPlane.whenReady();
      } catch (error) {
        throw error instanceof SettingsFileProblem ? new Failure(error.message) : error;
      }
    },
  };
}
