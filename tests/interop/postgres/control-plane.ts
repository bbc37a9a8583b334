import { systemClock } from '@weir/core';
import { type Lifetime, startWeir, type WeirProcess } from '../brokers/weir-process.ts';

/** Starts a control plane on the database and returns it once it serves. */
export async function startControlPlane(
  lifetime: Lifetime,
  databaseUrl: string,
  dataDir: string,
  ...more: readonly string[]
): Promise<WeirProcess> {
  const plane = await startWeir(
    [
      ...['control-plane', '-databaseURL', databaseUrl, '-dataDir', dataDir],
      ...['-bindAddress', '127.0.0.1', '-consolePort', '0', ...more],
    ],
    ['control plane'],
  );
  lifetime.after(() => plane.stop());
  while (!/^ {2}serves /m.test(plane.output.out))
    await new Promise<void>((resolve) => systemClock.after(50, resolve));
  return plane;
}
