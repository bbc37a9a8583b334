import { componentOf } from '../component/component-spec.ts';

export const drop = componentOf('output', {
  name: 'drop',
  about: 'Writes nothing; all messages are acknowledged.',
  fields: {},
  open: () => ({ write: async () => {}, close: async () => {} }),
});
