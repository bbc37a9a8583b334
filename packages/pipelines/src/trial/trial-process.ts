import { reasonOf } from '../component/failures.ts';
import type { TrialAnswer, TrialRequest } from './trial-messages.ts';
import { tryProcessors } from './try-processors.ts';

/** Tries one configuration, in a process that can be ended at any time. */
process.once('message', async (request: TrialRequest) => {
  const answer: TrialAnswer = await tryProcessors(request).catch((error: unknown) => ({
    refused: reasonOf(error),
  }));
  process.send!(answer, () => process.disconnect());
});
