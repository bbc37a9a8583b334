import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type Clock, Failure } from '@weir/core';
import type { RunningCluster } from './self-contained.ts';

/** How long a command that was asked to stop may take, before it is killed. */
const stopMsMax = 10_000;

/** A command of the user that runs beside the cluster, such as `npm test`. */
interface CommandBeside {
  /** Its exit status, or 128 and the signal that ended it, as a shell reports it. */
  readonly status: Promise<number>;
  stop(): Promise<void>;
}

/** Starts the command with the addresses of the cluster in its environment, and with the terminal of this process. */
export async function startCommand(
  words: readonly string[],
  cluster: RunningCluster,
  {
    apiKey,
    environment,
    clock,
  }: {
    readonly apiKey: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly clock: Clock;
  },
): Promise<CommandBeside> {
  const [program = '', ...argv] = words;
  const child = spawn(program, argv, {
    stdio: 'inherit',
    env: { ...environment, ...variablesOf(cluster, apiKey) },
  });
  const status = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal]),
    );
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(`failed to run ${program}: ${code === 'ENOENT' ? 'command not found' : message}`);
  }
  return {
    status,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const cancel = clock.after(stopMsMax, () => child.kill('SIGKILL'));
      await status;
      cancel();
    },
  };
}

/** What the command reads: the names that clients use, and the settings of the tools of weir. */
function variablesOf(cluster: RunningCluster, apiKey: string): NodeJS.ProcessEnv {
  const { host, kafkaPort, registryUrl, controlPlaneUrl } = cluster;
  const bootstrap = `${host}:${kafkaPort}`;
  return {
    KAFKA_BOOTSTRAP_SERVERS: bootstrap,
    SCHEMA_REGISTRY_URL: registryUrl,
    SERVICE_BOOTSTRAP_HOST: bootstrap,
    SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
    SERVICE_API_URL: controlPlaneUrl,
    SERVICE_API_KEY: apiKey,
  };
}
