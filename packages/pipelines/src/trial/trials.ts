import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Clock, Semaphore, SemaphoreFull } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import type { TrialAnswer, TrialRequest } from './trial-messages.ts';

const entry = fileURLToPath(import.meta.resolve('./trial-process.ts'));

/**
 * Tries configurations in processes with limits: a mapping may be endless, or take all memory that it gets. Not in
 * threads: one that allocates fast ends the whole process in spite of its `resourceLimits`.
 */
export class Trials {
  readonly #clock: Clock;
  readonly #running = new Semaphore({
    permits: pipelineLimits.trialsAtATimeMax,
    waitingMax: pipelineLimits.trialsWaitingMax,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(request: TrialRequest): Promise<TrialAnswer> {
    try {
      return await this.#running.run(() => this.#inProcess(request));
    } catch (error) {
      if (error instanceof SemaphoreFull)
        return { refused: 'too many trials run; try again in a few seconds' };
      throw error;
    }
  }

  #inProcess(request: TrialRequest): Promise<TrialAnswer> {
    const { trialMsMax, trialMiBMax } = pipelineLimits;
    const child = fork(entry, ['pipeline-trial'], {
      execArgv: [`--max-old-space-size=${trialMiBMax}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { promise, resolve } = Promise.withResolvers<TrialAnswer>();
    const cancel = this.#clock.after(trialMsMax, () =>
      resolve({
        refused: `it takes longer than ${trialMsMax / 1000} seconds; give fewer or shorter messages`,
      }),
    );
    child.once('message', (answer) => resolve(answer as TrialAnswer));
    child.once('error', ({ message }) =>
      resolve({ refused: `failed to start a process for it: ${message}` }),
    );
    child.once('exit', () =>
      resolve({ refused: 'it takes too much memory; give fewer or shorter messages' }),
    );
    child.send(request, () => undefined);
    return promise.finally(() => {
      cancel();
      child.kill('SIGKILL');
    });
  }
}
