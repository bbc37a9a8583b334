import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { Failure } from '@weir/core';

/** Runs the command that causes the fault. Its output goes to standard error. Resolves with its exit status. */
export async function runFault(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  stop: AbortSignal,
): Promise<number> {
  const [program = '', ...argv] = words;
  const child = spawn(program, argv, { stdio: ['ignore', 2, 2], env: environment });
  const end = () => child.kill('SIGTERM');
  stop.addEventListener('abort', end, { once: true });
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal]),
    );
  });
  try {
    await once(child, 'spawn');
    return await exited;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(`failed to run ${program}: ${code === 'ENOENT' ? 'command not found' : message}`);
  } finally {
    stop.removeEventListener('abort', end);
  }
}
