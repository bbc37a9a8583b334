import { componentOf, componentWith } from '../component/component-spec.ts';
import { resource } from '../component/field-types.ts';
import type { Message, Origin } from '../component/message.ts';

const noop = componentOf('processor', {
  name: 'noop',
  about: 'Does nothing.',
  fields: {},
  open: () => ({ process: (batch) => [batch] }),
});

const resourceProcessor = componentWith('processor', {
  name: 'resource',
  about: 'A processor of `processor_resources`.',
  field: resource('processor', 'The label of the processor.'),
  // A processor may be defined after one that uses it, so it is looked up when it is used.
  open: (label, { resources }) => ({
    process: (batch, stop) => resources.get('processor', label).process(batch, stop),
  }),
});

const syncResponse = componentOf('processor', {
  name: 'sync_response',
  about: 'Makes messages the answer to the request that the input got them with; they flow on.',
  fields: {},
  open: () => ({
    process(batch) {
      const answered = new Map<NonNullable<Origin['answers']>, Message[]>();
      for (const message of batch) {
        const answers = message.origin?.answers;
        if (answers === undefined) continue;
        const messages = answered.get(answers);
        if (messages === undefined) answered.set(answers, [message]);
        else messages.push(message);
      }
      for (const [answers, messages] of answered) answers.store(messages);
      return [batch];
    },
  }),
});

export const plainProcessors = [noop, resourceProcessor, syncResponse];
