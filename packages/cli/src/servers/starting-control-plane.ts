import {
  type ControlPlaneProcess,
  type ControlPlaneProcessOptions,
  type ReadyProcess,
  SettingsFileProblem,
  startControlPlaneProcess,
} from '@weir/controlplane/process';
import { Failure } from '../failure.ts';
import { untilStopped } from './until-stopped.ts';

export interface StartingControlPlane {
  readonly controlPlane: ControlPlaneProcess;
  /** Resolves when it serves, or when the user has enough of waiting. */
  whenReady(stop: AbortSignal): Promise<ReadyProcess | undefined>;
}

/** Starts a control plane. A file of the operator's that cannot be used is told in one line. */
export async function startingControlPlane(
  options: ControlPlaneProcessOptions,
): Promise<StartingControlPlane> {
  const controlPlane = await startControlPlaneProcess(options);
  return {
    controlPlane,
    async whenReady(stop) {
      const stopped = untilStopped(stop).then(() => undefined);
      try {
        return await Promise.race([controlPlane.whenReady(), stopped]);
      } catch (error) {
        await controlPlane.stop();
        throw error instanceof SettingsFileProblem ? new Failure(error.message) : error;
      }
    },
  };
}
