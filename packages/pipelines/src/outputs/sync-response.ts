import { componentOf } from '../component/component-spec.ts';
import type { Batch, Message, Origin } from '../component/message.ts';

export const syncResponse = componentOf('output', {
  name: 'sync_response',
  about: 'Sends messages back to where they came from, as the answer to a request.',
  fields: {},
  open: () => ({
    async write(batch: Batch) {
      const byRequest = new Map<NonNullable<Origin['answers']>, Message[]>();
      for (const message of batch) {
        const { answers } = message.origin ?? {};
        if (answers === undefined) throw new Error('the input of the messages takes no answers');
        const answer = byRequest.get(answers) ?? [];
        byRequest.set(answers, answer);
        answer.push(message);
      }
      for (const [answers, messages] of byRequest) answers.store(messages);
    },
    close: async () => {},
  }),
});
